/** What the generator of the API reference reads and writes, with planted cases; and the tables. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { apiPages, examplesOf, hasHeader, parseDoc } from '../tools/api-docs.ts'
import { Declarations, statementsOf } from '../tools/declarations.ts'
import { dialectTable, optionTable, withTable } from '../tools/tables.ts'
import { DIALECTS } from './support/dialects.ts'

/** Of a section; spelled so that it is no citation of this file. */
const SIGN = '\u00a7'

function declarationsOf(files: Readonly<Record<string, string>>): Declarations {
  return new Declarations(
    (path) => files[path] ?? assert.fail(`there is no ${path}`),
    (path) => path === 'header.d.ts',
  )
}

suite('reading declarations', () => {
  test('statements end at their own semicolon or brace, whatever stands inside', () => {
    const texts = [
      "export declare const A: readonly [';', '}'];",
      'export interface B {\n  /** Not an end: } ; */\n  c: { d: string };\n}',
      'export type E = { f: `g;$' + '{string}` } | (() => void);',
      'export declare function h(i: { j: number }): void;',
      'export {};',
    ]
    assert.deepEqual(
      statementsOf(texts.join('\n'), false).map(({ text }) => text),
      texts,
    )
  })

  test('a comment belongs to what follows it, the header of a file to nothing', () => {
    const text =
      '/** Header. */\nexport declare const A = 1;\n/**\n * Of b:\n *   more.\n */\ntype B = 1;'
    const docs = (has: boolean) => statementsOf(text, has).map(({ doc }) => doc)
    assert.deepEqual(docs(true), ['', 'Of b:\n  more.'])
    assert.deepEqual(docs(false), ['Header.', 'Of b:\n  more.'])
  })

  test('a source has a header unless its first comment touches a declaration', () => {
    assert.ok(hasHeader('/** A. */\n\nexport const a = 1\n'))
    assert.ok(hasHeader("/** A. */\nimport { b } from './b.ts'\n"))
    assert.ok(hasHeader("/** A. */\nexport * from './b.ts'\n"))
    assert.ok(hasHeader("/** A. */\nexport type { C } from './b.ts'\n"))
    assert.ok(!hasHeader('/** A. */\nexport const a = 1\n'))
    assert.ok(!hasHeader('/** A. */\nexport type A = 1\n'))
  })

  test('names are followed through lists, stars, renaming and imports to where they are', () => {
    const declarations = declarationsOf({
      'index.d.ts':
        "import { I } from './a/b.ts';\nexport { A, type B as C } from './a/b.ts';\n" +
        "export * from './star.ts';\nexport { I };\nexport {};\n",
      'a/b.d.ts':
        'export declare class A { #private; }\nexport interface B { x: 1; }\n' +
        'declare const I: 1;\nexport { I };\nexport type Other = 1;\n',
      'star.d.ts': "export * from './header.ts';\nexport declare const own: 1;\n",
      'header.d.ts': '/** Header. */\nexport declare function f(): void;\n',
    })
    const found = [...declarations.exportsOf('index.d.ts')].map(([name, { kind, path, doc }]) =>
      [name, kind, path, doc].join(' '),
    )
    assert.deepEqual(found, [
      'A class a/b.d.ts ',
      'C interface a/b.d.ts ',
      'I constant a/b.d.ts ',
      'f function header.d.ts ',
      'own constant star.d.ts ',
    ])
  })

  test('overloads, and a constant with its type, are one declaration', () => {
    const declarations = declarationsOf({
      'x.d.ts':
        '/** Does. */\nexport declare function f(a: 1): 1;\nexport declare function f(a: 2): 2;\n' +
        'export declare const K: 1;\n/** One of. */\nexport type K = 1;\n',
    })
    const { f, K } = Object.fromEntries(declarations.exportsOf('x.d.ts'))
    assert.equal(f!.doc, 'Does.')
    assert.equal(f!.text.split('\n').length, 2)
    assert.deepEqual([K!.kind, K!.doc], ['constant', 'One of.'])
  })

  test('a name that no file has is an error', () => {
    const declarations = declarationsOf({
      'x.d.ts': "export { gone } from './y.ts';\n",
      'y.d.ts': 'export {};\n',
    })
    assert.throws(() => declarations.exportsOf('x.d.ts'), /x\.d\.ts exports gone, which y\.d\.ts/)
  })
})

suite('doc comments', () => {
  test('text, tags and examples are told apart, fenced or not', () => {
    const doc =
      'Adds.\nMore.\n@param n how many\n  of them\n@throws {RangeError} for none\n' +
      '@example\nadd(1) // a\n\nadd(2)\n@example\n```ts\nadd(3)\n```'
    assert.deepEqual(parseDoc(doc), {
      text: 'Adds.\nMore.',
      examples: ['add(1) // a\n\nadd(2)', 'add(3)'],
      tags: [
        { tag: 'param', text: 'n how many\n  of them' },
        { tag: 'throws', text: '{RangeError} for none' },
      ],
    })
    assert.deepEqual(parseDoc('A.\n\n```ts\nb()\n```\n').examples, ['b()'])
  })

  test('a decorator inside of an example is no tag', () => {
    assert.deepEqual(parseDoc('A.\n@example\n  @x()\n').examples, ['  @x()'])
    assert.deepEqual(parseDoc('@example\nb()').examples, ['b()'])
  })
})

test('a page has signatures in the house style, text, tags and examples', () => {
  const declarations = declarationsOf({
    'dialects/x/index.d.ts':
      `/**\n * Adds a {@link Set} of <n> (${SIGN}2).\n * @param n a number\n` +
      ' * @throws {Error} on 0\n' +
      " * @example\n * import { add } from 'pentameter/x'\n */\n" +
      'export declare function add(n: "a"): void;\n' +
      'export declare class Set {\n    #private;\n    private inner;\n    size: number;\n}\n',
  })
  const exports = [...declarations.exportsOf('dialects/x/index.d.ts').values()]
  const entry = { specifier: 'pentameter/x/spec', intro: 'An entry.\n\nMore.', exports }
  const pages = apiPages([entry])
  assert.deepEqual([...pages.keys()], ['docs/api/README.md', 'docs/api/x-spec.md'])
  assert.match(
    pages.get('docs/api/README.md')!,
    /^\| \[`pentameter\/x\/spec`\]\(x-spec\.md\) \| 2 \| An entry\. \|$/m,
  )
  assert.equal(
    pages.get('docs/api/x-spec.md'),
    '# pentameter/x/spec\n\nAn entry.\n\nMore.\n\n## Functions\n\n### add\n\n' +
      "```ts\nfunction add(n: 'a'): void\n```\n\n" +
      `Adds a \`Set\` of \\<n> (x.md ${SIGN}2).\n\n` +
      '- `n`: a number\n- throws `Error` on 0\n\n' +
      "```ts\nimport { add } from 'pentameter/x'\n```\n\n" +
      '## Classes\n\n### Set\n\n```ts\nclass Set {\n  size: number\n}\n```\n',
  )
  assert.deepEqual(examplesOf(entry), ["import { add } from 'pentameter/x'"])
})

suite('tables', () => {
  test('a made-up dialect has its rows', () => {
    const [first] = DIALECTS
    const made = { ...first!, name: 'made', document: 'How it is made up', options: {} }
    const option = { kind: 'integer', min: 1, default: 7, description: 'of it' } as const
    const withOptions = { ...made, options: { itsLimit: option } }
    assert.deepEqual(dialectTable([made]).slice(2), [
      '| [made](src/dialects/made/README.md) | How it is made up | receives | emits ' +
        '| 8125 udp, tcp |',
    ])
    assert.ok(optionTable([withOptions]).includes('| `made.itsLimit` | `7` | of it |'))
    assert.ok(!optionTable([]).some((row) => row.includes('statshero')))
  })

  test('docs/configuration.md has exactly the options there are, with their defaults', () => {
    const text = readFileSync(new URL('../docs/configuration.md', import.meta.url), 'utf8')
    const lines = text.split('\n').filter((line) => line.startsWith('| `'))
    const rows = lines.map((line) => line.replace(/ +\|/g, ' |'))
    assert.deepEqual(rows, optionTable(DIALECTS).slice(2))
  })

  test('a table takes the place of the one with the same first column', () => {
    const table = ['| a | b |', '|---|---|', '| 1 | 2 |']
    const before = 'x\n\n| z |\n|---|\n\n| a   | old |\n| --- | --- |\n| 0 | 0 |\n| 3 | 3 |\n\ny\n'
    const after = 'x\n\n| z |\n|---|\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\ny\n'
    assert.equal(withTable(before, table), after)
    assert.equal(withTable(after, table), after)
    assert.throws(() => withTable('no table', table), /begins with \| a/)
  })
})
