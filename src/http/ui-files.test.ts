import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { serve } from '../../test/support/http-client.ts'
import { FakeHubView } from '../../test/support/hub/fake-hub-view.ts'

const SCRIPT = `console.log(${JSON.stringify('x'.repeat(5000))})`

async function start(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const webRoot = join(folder, 'web')
  mkdirSync(join(webRoot, 'assets'), { recursive: true })
  writeFileSync(join(webRoot, 'index.html'), '<!doctype html><title>Pentameter</title>')
  writeFileSync(join(webRoot, 'views.json'), '["tally"]')
  writeFileSync(join(webRoot, 'mark.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(webRoot, 'assets', 'index-Ab12_-Zz.js'), SCRIPT)
  writeFileSync(join(webRoot, 'notes.xyz'), 'of no known type')
  writeFileSync(join(folder, 'secret.txt'), 'outside')
  const server = await serve(context, { view: new FakeHubView(), webRoot })
  return { server, webRoot, folder }
}

test('the page and its views are index.html, which is never stored', async (t) => {
  const { server } = await start(t)
  const views = ['/', '/series/a.b%7Broute=%2Fpay%7D?window=300', '/series/a/b', '/sources']
  views.push('/tally', '/tally/a/-/w%2F1/n')
  for (const path of views) {
    const answer = await server.ask(path)
    assert.equal(answer.status, 200, path)
    assert.match(answer.text, /<title>Pentameter/)
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(answer.headers['cache-control'], 'no-store')
  }
})

test('files with a hash in their names are cached for ever, others are asked again', async (t) => {
  const { server } = await start(t)
  const script = await server.ask('/assets/index-Ab12_-Zz.js')
  assert.equal(script.headers['content-type'], 'text/javascript; charset=utf-8')
  assert.equal(script.headers['cache-control'], 'public, max-age=31536000, immutable')
  const mark = await server.ask('/mark.svg')
  assert.equal(mark.headers['content-type'], 'image/svg+xml')
  assert.equal(mark.headers['cache-control'], 'no-cache')
  const etag = String(mark.headers.etag)
  const again = await server.ask('/mark.svg', { headers: { 'if-none-match': `"x", ${etag}` } })
  assert.deepEqual([again.status, again.text], [304, ''])
})

test('text is compressed for those who accept it', async (t) => {
  const { server } = await start(t)
  const headers = { 'accept-encoding': 'gzip' }
  const answer = await server.ask('/assets/index-Ab12_-Zz.js', { headers })
  assert.equal(answer.headers['content-encoding'], 'gzip')
  assert.equal(gunzipSync(answer.bytes).toString(), SCRIPT)
  assert.ok(answer.bytes.length < 500)
})

test('a new build is served without a restart', async (t) => {
  const { server, webRoot } = await start(t)
  await server.ask('/')
  writeFileSync(join(webRoot, 'index.html'), '<title>Second build</title>')
  assert.match((await server.ask('/')).text, /Second build/)
  assert.equal((await server.ask('/lamps')).status, 404)
  writeFileSync(join(webRoot, 'views.json'), '["tally", "lamps"]')
  assert.equal((await server.ask('/lamps')).status, 200)
})

test('nothing outside of the folder is served, by dots, codes or links', async (t) => {
  const { server, webRoot, folder } = await start(t)
  symlinkSync(join(folder, 'secret.txt'), join(webRoot, 'link.txt'))
  const paths = ['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/link.txt']
  for (const path of [...paths, '/assets/..%2f..%2fsecret.txt', '/secret.txt%00.js', '/%ff.js']) {
    const answer = await server.ask(path)
    assert.equal(answer.status, 404, path)
    assert.doesNotMatch(answer.text, /outside/)
  }
})

test('a path that is no view is 404 in plain text, under the strict headers', async (t) => {
  const { server } = await start(t)
  const paths = [
    '/wallaroo',
    '/scope',
    '/tally/',
    '/tallyx',
    '/series',
    '/series/',
    '/sources/',
    '/sources/a',
  ]
  for (const path of paths) {
    const answer = await server.ask(path)
    assert.equal(answer.status, 404, path)
    assert.match(String(answer.headers['content-type']), /^text\/plain/)
    assert.match(answer.text, RegExp(`^no page ${path};`))
    assert.match(String(answer.headers['content-security-policy']), /default-src 'none'/)
  }
})

test('unknown files, folders and unknown types are 404', async (t) => {
  const { server } = await start(t)
  for (const path of ['/favicon.ico', '/assets', '/assets/', '/notes.xyz', '/seriesx']) {
    assert.equal((await server.ask(path)).status, 404, path)
  }
})

test('a page that is not built says what to do', async (t) => {
  const server = await serve(t, { view: new FakeHubView() })
  const answer = await server.ask('/')
  assert.equal(answer.status, 503)
  assert.match(answer.text, /npm run build:web/)
  assert.match(String(answer.headers['content-type']), /^text\/plain/)
})
