/** What a user gets: the packed tarball, and programs that are written against it. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join, posix } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FRONT_FILTER_BASE64 } from '../../src/dialects/proxywasm/demo/front-filter.ts'
import { apiOf, examplesOf } from '../../tools/api-docs.ts'
import { entriesIn } from '../../tools/entries.ts'
import { matchesOutput } from '../docs/blocks.ts'
import { PORTS, portFlags } from '../support/ports.ts'
import {
  addNodeTypes,
  type Installed,
  packAndInstall,
  runProgram,
  typeCheck,
  write,
} from './installed.ts'
import type { ExampleResults } from './run-examples.ts'

const FILTERS = fileURLToPath(new URL('../../src/dialects/proxywasm/demo/', import.meta.url))
const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url))
const EXAMPLE_RUNNER = fileURLToPath(new URL('run-examples.ts', import.meta.url))
/** Those that a program without a hub needs. */
const WITHOUT_HUB = /^pentameter\/(?!hub$)/
/** Statement that takes something from another module. */
const IMPORT = /^(?:import|export|\}).*?\bfrom ['"]([^'"]+)['"]/gm
/** Two resolutions of modules that users have, with what goes with them. */
const RESOLUTIONS = {
  nodenext: { module: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
}

let installed: Installed
let entries: readonly string[]

before(async () => {
  installed = await packAndInstall()
  entries = entriesIn(join(installed.package, 'dist')).map(({ specifier }) => specifier)
})

after(() => rmSync(installed.folder, { recursive: true, force: true }))

/** A folder of its own beside node_modules. */
function project(): string {
  return mkdtempSync(join(installed.app, 'project-'))
}

suite('the tarball', () => {
  test('has the program, the licences and what is built, and nothing else', () => {
    const allowed =
      /^(package\.json|(README|CHANGELOG)\.md|LICENSE|NOTICE|bin\/pentameter\.js|dist\/web\/.*)$/
    const compiled = /^dist\/.*\.(js|d\.ts)$|^dist\/(vendor\/THIRD-PARTY\.txt|cli\/texts\.json)$/
    const inner = /(^|\/)(test|view|fixtures?|vectors)\/|\.test\.|\.map$|\.tsx?$/
    for (const path of installed.files) {
      assert.ok(allowed.test(path) || compiled.test(path), path)
      assert.ok(!inner.test(path.replace(/\.d\.ts$/, '')), path)
    }
  })

  test('prints each help and completion as its commands do, and loads nothing for that', () => {
    const program = join(installed.package, 'bin/pentameter.js')
    const run = (args: readonly string[]) => spawnSync(process.execPath, [program, ...args])
    const place = join(installed.package, 'dist/cli/texts.json')
    const texts = JSON.parse(readFileSync(place, 'utf8')) as Record<string, string>
    const asked = ['--help', 'serve --help', 'proxy-wasm run --help', 'completion bash']
    for (const words of [...asked, 'completion zsh', 'completion fish']) {
      assert.ok(texts[words]!.length > 100, words)
    }
    const ask = (words: string): string => String(run(words.split(' ')).stdout)
    const main = join(installed.package, 'dist/cli/main.js')
    // the commands themselves
    renameSync(place, `${place}.away`)
    for (const words of Object.keys(texts)) assert.equal(ask(words), texts[words], words)
    renameSync(`${place}.away`, place)
    // without them
    renameSync(main, `${main}.away`)
    for (const words of asked) assert.equal(ask(words), texts[words], words)
    assert.equal(ask('help serve'), texts['serve --help'])
    assert.equal(ask('counters monitor -h'), texts['counters monitor --help'])
    assert.equal(run(['serve']).status, 1)
    renameSync(`${main}.away`, main)
  })

  test('names no file that is not there, and maps of sources nowhere', () => {
    for (const path of installed.files.filter((each) => /\.(js|d\.ts|css)$/.test(each))) {
      const text = readFileSync(join(installed.package, path), 'utf8')
      assert.doesNotMatch(text, /^\/[/*]# sourceMappingURL/m, path)
      if (/^dist\/(web|vendor)\//.test(path)) continue
      for (const [, specifier] of text.matchAll(IMPORT)) {
        if (specifier!.startsWith('node:')) continue
        assert.match(specifier!, /^\./, `${path} needs another package`)
        const target = posix.join(posix.dirname(path), specifier!)
        const file = path.endsWith('.d.ts') ? target.replace(/\.ts$/, '.d.ts') : target
        assert.ok(installed.files.includes(file), `${path}: ${specifier}`)
      }
    }
  })

  test('installs no other package and runs no script', () => {
    const manifest = JSON.parse(readFileSync(join(installed.package, 'package.json'), 'utf8'))
    const kinds = ['dependencies', 'optionalDependencies', 'peerDependencies']
    for (const kind of kinds) assert.equal(manifest[kind], undefined, kind)
    for (const event of ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish']) {
      assert.equal(manifest.scripts[event], undefined, event)
    }
    assert.equal(globSync('**/binding.gyp', { cwd: installed.package }).length, 0)
  })

  test('says what a registry page shows', () => {
    const manifest = JSON.parse(readFileSync(join(installed.package, 'package.json'), 'utf8'))
    for (const field of ['description', 'license', 'homepage', 'author']) {
      assert.match(manifest[field], /\w/, field)
    }
    assert.match(manifest.repository.url, /^git\+https:\/\/.*\/pentameter\.git$/)
    assert.match(manifest.bugs.url, /^https:\/\//)
    assert.ok(manifest.keywords.length > 5)
  })

  test('has the licence of every package that is bundled into it', () => {
    const page = readFileSync(join(installed.package, 'dist/web/THIRD-PARTY.txt'), 'utf8')
    const vendor = readFileSync(join(installed.package, 'dist/vendor/THIRD-PARTY.txt'), 'utf8')
    const noticeOf = (name: string): RegExp =>
      RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\([\\w.-]+\\)\n\n[\\s\\S]*?opyright`, 'm')
    for (const name of ['@preact/signals', '@preact/signals-core', 'preact']) {
      assert.match(page, noticeOf(name))
    }
    for (const name of ['@hono/node-server', 'commander', 'hono', 'pbf', 'wabt', 'yaml', 'zod']) {
      assert.match(vendor, noticeOf(name))
    }
  })
})

suite('with an empty node_modules beside it', () => {
  test('every entry is loaded by import, and by require', () => {
    const list = JSON.stringify(entries)
    const folder = project()
    const isLoaded = 'Object.keys(loaded).length > 0'
    const program = (load: string): string =>
      `for (const name of ${list}) {\n  const loaded = ${load}\n  console.log(name, ${isLoaded})\n}`
    write(folder, { 'all.mjs': program('await import(name)'), 'all.cjs': program('require(name)') })
    const expected = entries.map((name) => `${name} true\n`).join('')
    assert.ok(entries.filter((name) => WITHOUT_HUB.test(name)).length > 5)
    assert.equal(runProgram(folder, ['all.mjs']), expected)
    assert.equal(runProgram(folder, ['all.cjs']), expected)
  })

  test('a program as a plain module and one in CommonJS run', () => {
    const folder = project()
    for (const [from, to] of [
      ['module.ts', 'module.mjs'],
      ['script.cts', 'script.cjs'],
    ] as const) {
      const text = readFileSync(join(PROGRAMS, from), 'utf8').replace(
        /^import (\w+) = (require\(.*\))$/gm,
        'const $1 = $2',
      )
      write(folder, { [to]: stripTypeScriptTypes(text) })
    }
    assert.equal(runProgram(folder, ['module.mjs']), '3n 1 1\n')
    assert.equal(runProgram(folder, ['script.cjs']), 'function 0\n')
  })

  test('the manifest can be read, and nothing inside can be imported', () => {
    const inner = installed.files
      .filter((path) => /^dist\/.*\/index\.js$/.test(path))
      .map((path) => `pentameter/${posix.dirname(path).replace(/^dist\/(dialects\/)?/, '')}`)
      .filter((specifier) => !entries.includes(specifier))
    const paths = [...inner, 'pentameter/dist/cli/main.js', 'pentameter/cli']
    const folder = project()
    write(folder, {
      'inner.mjs':
        `for (const name of ${JSON.stringify(paths)}) {\n` +
        '  try { console.log(import.meta.resolve(name)) } catch {}\n' +
        '  try { await import(name); console.log(name) } catch {}\n}\n' +
        "console.log(typeof (await import('pentameter/package.json', " +
        "{ with: { type: 'json' } })).default.version)",
    })
    const lines = runProgram(folder, ['inner.mjs']).trim().split('\n')
    // Of a pattern, resolving alone may give a file that is not there.
    const found = lines.filter((line) => !line.startsWith('file:') || statOf(line) !== undefined)
    assert.deepEqual(found, ['string'])
  })

  test('a filter runs from its text', () => {
    const folder = project()
    const text = readFileSync(join(FILTERS, 'front-filter.wat'), 'utf8')
    write(folder, { 'front.wat': text })
    const bin = join(installed.package, 'bin/pentameter.js')
    const output = runProgram(folder, [bin, 'proxy-wasm', 'run', 'front.wat', '--requests', '1'])
    assert.match(output, /^requests\.route=home +counter +1$/m)
  })

  test('the hub starts, with its threads, and serves the page', async () => {
    const bin = join(installed.package, 'bin/pentameter.js')
    assert.match(runProgram(installed.app, [bin, '--version']), /^\d+\.\d+\.\d+\n$/)
    const args = [bin, 'serve', ...portFlags(0), '--ingest-workers', '1']
    const child = spawn(process.execPath, args, {
      cwd: installed.app,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      let page: string | undefined
      let hasThread = false
      for await (const line of createInterface(child.stdout)) {
        hasThread ||= /^ {2}ingest +1 thread/.test(line)
        page = /The page: (\S+)$/.exec(line)?.[1]
        if (page !== undefined) break
      }
      assert.ok(hasThread)
      const response = await fetch(page!)
      assert.equal(response.status, 200)
      assert.match(await response.text(), /<script type="module"/)
    } finally {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  })
})

function statOf(url: string): unknown {
  return statSync(new URL(url), { throwIfNoEntry: false })
}

suite('in strict TypeScript, libraries checked', () => {
  before(() => addNodeTypes(installed))

  for (const [name, options] of Object.entries(RESOLUTIONS)) {
    test(`programs and all entries have types, resolved as ${name}`, () => {
      const folder = project()
      cpSync(PROGRAMS, folder, { recursive: true })
      const all = entries.map((each, i) => `export * as e${i} from '${each}'\n`).join('')
      write(folder, { 'package.json': '{"type":"module"}', 'all.ts': all })
      const files = ['all.ts', 'module.ts', ...(name === 'nodenext' ? ['script.cts'] : [])]
      assert.equal(typeCheck(folder, files, options), '')
    })
  }

  test('a wrong argument is an error, so the types are really there', () => {
    const folder = project()
    write(folder, {
      'package.json': '{"type":"module"}',
      'wrong.ts': "import { bucketIndex } from 'pentameter/model'\nbucketIndex('4', 0)\n",
    })
    assert.match(typeCheck(folder, ['wrong.ts'], RESOLUTIONS.nodenext), /^wrong\.ts\(2,13\): error/)
  })

  test('every example of the reference has the types that it needs', () => {
    const folder = project()
    const files = writeExamples(folder)
    // An example may take the first of what it has just made.
    const options = { ...RESOLUTIONS.nodenext, noUncheckedIndexedAccess: false }
    assert.equal(typeCheck(folder, files, options), '')
  })

  test('every example of the reference runs, and prints what stands behind it', () => {
    const folder = project()
    const files = writeExamples(folder)
    cpSync(EXAMPLE_RUNNER, join(folder, 'run-examples.ts'))
    writeFileSync(join(folder, 'filter.wasm'), Buffer.from(FRONT_FILTER_BASE64, 'base64'))
    const output = runProgram(folder, ['run-examples.ts', JSON.stringify(PORTS), ...files])
    assert.match(output, /^\{.*\}$/)
    const { errors, prints } = JSON.parse(output) as ExampleResults
    assert.deepEqual(errors, [])
    assert.ok(prints.length > 50)
    for (const { file, expected, actual = '' } of prints) {
      if (!matchesOutput(actual, expected)) assert.equal(actual, expected, file)
    }
  })
})

/** Writes each example of the reference as a module; returns their paths. */
function writeExamples(folder: string): string[] {
  const examples = apiOf(join(installed.package, 'dist')).flatMap((entry) => {
    const name = entry.specifier.replaceAll('/', '-')
    return examplesOf(entry).map((code, i) => [`${name}-${i + 1}.ts`, `${code}\nexport {}\n`])
  })
  assert.ok(examples.length > 100)
  write(folder, { 'package.json': '{"type":"module"}', ...Object.fromEntries(examples) })
  return examples.map(([path]) => path!)
}
