/**
 * What the documents say is true: marked code blocks run, the set-up is two commands, every script
 * that is mentioned exists. The convention is in CONTRIBUTING.md, "Code in documents".
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type CodeBlock, codeBlocks, matchesOutput } from './docs/blocks.ts'
import { runDocument, SHELLS, type Shell } from './docs/run.ts'
import { DIALECTS } from './support/dialects.ts'
import { readTree } from './tidy/tree.ts'

const tree = readTree(fileURLToPath(new URL('..', import.meta.url)))
const documents = tree
  .under('', '.md')
  .filter(({ path }) => !path.includes('/') || /^(docs|src\/dialects|examples)\//.test(path))

const SETUP = ['npm ci && npm run demo', 'npm ci && npm test']

/** Documents, or shells, that are tried at once, each with a hub of its own: most is waiting. */
const AT_ONCE = { concurrency: 3 }

suite('documents', AT_ONCE, () => {
  test('the README sets up with exactly the two commands', () => {
    const blocks = codeBlocks(tree.read('README.md') ?? '')
    const setup = blocks.filter(({ words }) => words.includes('setup'))
    const commands = setup.flatMap(({ code }) => code.split('\n').map(withoutComment))
    assert.deepEqual(
      commands.filter((command) => command !== ''),
      SETUP,
    )
  })

  test('every npm script that a document mentions exists', () => {
    const { scripts } = JSON.parse(tree.read('package.json')!) as { scripts: object }
    for (const { path, text } of documents) {
      for (const [mention, name] of text.matchAll(/\bnpm run ([a-z][\w:-]*)/g)) {
        assert.ok(name! in scripts, `${path}: ${mention}`)
      }
    }
  })

  test('a limit that is named as an option is one', () => {
    const options = tree.read('docs/configuration.md')!
    for (const row of tree
      .read('docs/limits.md')!
      .split('\n')
      .filter((it) => /^\| /.test(it))) {
      for (const [name] of row.split('|')[1]!.matchAll(/`[\w.]+`/g)) {
        assert.ok(options.includes(name), `${name} is no option: ${row}`)
      }
    }
  })

  test('an example is run with the project’s Node: that of the machine may be an older one', () => {
    const sources = [...documents, ...tree.under('examples', '.ts')]
    for (const { path, text } of sources.filter(
      (each) => !/decisions|CONTRIBUTING/.test(each.path),
    )) {
      for (const [line] of text.matchAll(/^.*\bnode examples\/.*$/gm)) {
        assert.match(line, /npx node examples\//, `${path}: ${line}`)
      }
    }
  })

  test('a block that is marked for a test is of a kind that the test knows', () => {
    const known = new Set(['sh run', 'ts run', 'text output', 'sh setup'])
    for (const { path, text } of documents) {
      for (const { line, language, words } of codeBlocks(text)) {
        if (words.length === 0) continue
        assert.ok(known.has([language, ...words].join(' ')), `${path}:${line}: ${words.join(' ')}`)
      }
    }
  })

  for (const { path, text } of documents) {
    const blocks = codeBlocks(text)
    if (!blocks.some(({ words }) => words.includes('run'))) continue
    const title = `the blocks of ${path} run and print what is printed there`
    test(title, skipUnused(['curl'], blocks), async () => {
      for (const { block, result, output } of await runDocument(blocks)) {
        const where = `${path}:${block.line}`
        assert.equal(result.status, 0, `${where} failed:\n${result.stdout}${result.stderr}`)
        if (output === undefined) continue
        const message = `${where} printed:\n${result.stdout}`
        assert.ok(matchesOutput(result.stdout, output.code), message)
      }
    })
  }
})

/** First metric of the README: one line is sent, and Prometheus' answer has it. */
function firstMetric(): CodeBlock[] {
  const blocks = codeBlocks(tree.read('README.md')!)
  const at = blocks.findIndex(({ code }) => code.includes('pentameter send'))
  return blocks.slice(at, at + 3)
}

/** What the start report and the empty page say is to be tried, for a few seconds at most. */
function triedCommands(): CodeBlock[] {
  return DIALECTS.flatMap(({ tryIt, port }) => {
    const command = port && tryIt?.('127.0.0.1', port.number)
    if (command === undefined) return []
    const code = command.replace('curl ', 'curl -m 8 ').replace('--for 2', '--for 1')
    return [{ line: 0, language: 'sh', words: ['run'], code }]
  })
}

suite('commands that a reader tries', AT_ONCE, () => {
  for (const shell of Object.keys(SHELLS) as Shell[]) {
    const skip = skipWithout([shell, 'curl'])
    test(`the first metric of the README arrives from ${shell}`, skip, async () => {
      const [sent, read] = await runDocument(firstMetric(), shell)
      assert.equal(sent!.result.status, 0, sent!.result.stderr)
      assert.equal(read!.result.stdout, read!.output!.code)
    })

    test(`what the start report says to try works in ${shell}`, skip, async () => {
      const commands = triedCommands()
      assert.equal(commands.length, 8)
      for (const { block, result } of await runDocument(commands, shell)) {
        const { status, stdout, stderr } = result
        // what has no end was ended by us
        const isEndless = block.code.startsWith('curl -m 8 -sN')
        // fish knows the end of the last program of a pipe alone
        const isHidden = shell === 'fish' && block.code.includes(' | ')
        assert.equal(status, isEndless && !isHidden ? 28 : 0, `${block.code}\n${stdout}${stderr}`)
        if (isEndless) {
          const message = `${block.code}: ${stdout}${stderr}`
          assert.match(stdout, /^\{"event":"EventCounters"|^\{"type":"hello"/, message)
        }
      }
    })
  }
})

suite('reading blocks', () => {
  test('language, words, line and code are found, in lists and longer fences too', () => {
    const text = 'x\n```sh run\necho 1\n```\n\n- a\n  ````text\n  ```\n  y\n  ````\n'
    assert.deepEqual(codeBlocks(text), [
      { line: 2, language: 'sh', words: ['run'], code: 'echo 1\n' },
      { line: 7, language: 'text', words: [], code: '```\ny\n' },
    ])
  })

  test('an output matches with gaps inside lines and between them', () => {
    assert.ok(matchesOutput('a 12 b\nx\ny\nend\n', 'a … b\n…\nend\n'))
    assert.ok(!matchesOutput('a 12 c\nend\n', 'a … b\nend\n'))
    assert.ok(!matchesOutput('a\nb\nc\n', 'a\nb\n'))
    assert.ok(matchesOutput('1.5 (x)\n', '1.5 (x)\n'))
    assert.ok(!matchesOutput('1x5 (x)\n', '1.5 (x)\n'))
  })
})

suite('running blocks', () => {
  test('blocks share a folder and a hub whose ports stand in for the default ones', async () => {
    const text = [
      '```sh run\necho "127.0.0.1:4000 127.0.0.1/8125" > ports.txt\n```',
      '```sh run\ncat ports.txt; pentameter --version > version.txt\n```',
      "```ts run\nimport { bucketIndex } from 'pentameter/model'\n",
      'console.log(bucketIndex(4, 0))\n```\n```text output\n1\n```',
      '```sh\nexit 1\n```\n```sh run\nfalse | true\n```',
    ].join('\n')
    const runs = await runDocument(codeBlocks(text))
    const [write, show, compute, fail] = runs.map(({ result }) => result)
    assert.equal(write?.status, 0)
    assert.match(show!.stdout, /^127\.0\.0\.1:\d+ 127\.0\.0\.1\/\d+\n$/)
    assert.doesNotMatch(show!.stdout, /:4000|\/8125/)
    assert.deepEqual([compute?.status, compute?.stdout], [0, '1\n'])
    assert.equal(runs[2]?.output?.code, '1\n')
    assert.equal(fail?.status, 1, 'a failure inside a pipe counts')
    assert.equal(runs.length, 4)
  })
})

function withoutComment(line: string): string {
  return line.replace(/\s+#.*$/, '').trim()
}

/** Documents may use these programs; a machine without them can't try what they say. */
function skipUnused(programs: readonly string[], blocks: readonly CodeBlock[]) {
  const code = blocks.filter(({ words }) => words.includes('run')).map((block) => block.code)
  return skipWithout(programs.filter((name) => new RegExp(`\\b${name}\\b`).test(code.join('\n'))))
}

function skipWithout(programs: readonly string[]) {
  const missing = programs.find((name) => spawnSync(name, ['--version']).error !== undefined)
  return missing === undefined ? {} : { skip: `there is no ${missing} on this machine` }
}
