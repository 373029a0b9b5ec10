/** Faults of Markdown, package.json, the lock file and the compiler's options. */
import * as documents from '../document-rules.ts'
import type { Fault } from './fault.ts'

export const DOCUMENT_FAULTS: readonly Fault[] = [
  {
    rule: documents.links,
    fault: 'a link to no file, a picture without one, and an anchor without heading',
    files: {
      'README.md': '# A\n[x](docs/no.md)\n![x](no.png)\n[x](docs/a.md#nothing)\n[x](#b)\n',
      'docs/a.md': '# Title\n',
    },
    at: ['README.md:2', 'README.md:3', 'README.md:4', 'README.md:5'],
  },
  {
    rule: documents.links,
    fault: 'nothing: files, folders, headings, other sites, code',
    files: {
      'README.md': '# A b, `c`!\n[x](docs/a.md#title) [y](docs/) [z](#a-b-c) [w](https://x.y)\n',
      'docs/a.md': '# Title\n[up](../README.md)\n```\n[x](no.md)\n```\n`[x](no.md)`\n',
    },
    at: [],
  },
  {
    rule: documents.citations,
    fault: 'a section that a document lacks, one of no document, one of nobody knows which',
    files: {
      'src/hub/a.ts': '// x.md \u00a73.4\n// x.md \u00a73\n// y.md \u00a71\n// \u00a73\n',
      'src/dialects/x/a.ts': '/** \u00a73.1\n * (\u00a73, \u00a74) */\n',
      'docs/formats/x.md': '# X\n## 3 Layout\n### 3.1 Lines\n\u00a79\n',
    },
    at: ['src/hub/a.ts:1', 'src/hub/a.ts:3', 'src/hub/a.ts:4']
      .concat('src/dialects/x/a.ts:2')
      .concat('docs/formats/x.md:4'),
  },
  {
    rule: documents.citations,
    fault: 'nothing where the headings are, and in citations of RFCs',
    files: {
      'src/hub/a.ts': '// RFC 9110 \u00a712.5, x.md \u00a73.1: "\u00a7" alone\n',
      'src/dialects/x/README.md': '\u00a73\n',
      'docs/formats/x.md': '## 3 Layout\n### 3.1 Lines\n',
    },
    at: [],
  },
  {
    rule: documents.decisions,
    fault: 'a missing number',
    files: { 'docs/decisions/0001-a.md': '', 'docs/decisions/0003-b.md': '' },
    at: ['docs/decisions/0003-b.md:0'],
  },
  {
    rule: documents.decisions,
    fault: 'nothing in a row of numbers',
    files: { 'docs/decisions/0001-a.md': '', 'docs/decisions/0002-b.md': '' },
    at: [],
  },
  {
    rule: documents.manifest,
    fault: 'an export, a command and a script without their files',
    files: {
      'package.json':
        '{"exports":{"./x":{"types":"./dist/x/index.d.ts"}, "./*":"./dist/*/index.js"},\n' +
        '"bin":{"p":"bin/p.js"},\n"scripts":{"a":"node test/a.ts"}}',
      'src/x/y/index.ts': '',
    },
    at: ['package.json:1', 'package.json:1', 'package.json:2', 'package.json:3'],
  },
  {
    rule: documents.manifest,
    fault: 'nothing where dist is built from src',
    files: {
      'package.json':
        '{"exports":{"./x":{"types":"./dist/x/index.d.ts","default":"./dist/x/index.js"},' +
        '"./*":"./dist/*/index.js","./*/y":null},' +
        '"scripts":{"a":"node --test \\"src/**/*.test.ts\\" && node src/x/index.ts"}}',
      'src/x/index.ts': '',
    },
    at: [],
  },
  {
    rule: documents.compilerOptions,
    fault: 'an option that is missing, and one that a folder takes back',
    files: {
      'tsconfig.json': '{"compilerOptions":{"strict":true,"exactOptionalPropertyTypes":true}}',
      'src/web/tsconfig.json': '{"compilerOptions":{\n"strict":false}}',
    },
    at: ['tsconfig.json:0', 'src/web/tsconfig.json:2'],
  },
  {
    rule: documents.compilerOptions,
    fault: 'nothing where all are on, and inherited',
    files: {
      'tsconfig.json':
        '{"compilerOptions":{"strict":true,"exactOptionalPropertyTypes":true,' +
        '"noUncheckedIndexedAccess":true}}',
      'src/web/tsconfig.json': '{"extends":"../../tsconfig.json"}',
    },
    at: [],
  },
  {
    rule: documents.lockFile,
    fault: 'a download address in the lock file, a registry in .npmrc',
    files: {
      'package-lock.json': '{\n"resolved": "https://registry.example/a.tgz"\n}',
      '.npmrc': 'fund=false\nregistry=https://registry.example\n',
    },
    at: ['package-lock.json:2', '.npmrc:2'],
  },
  {
    rule: documents.lockFile,
    fault: 'nothing in integrity hashes and local links',
    files: {
      'package-lock.json': '{"resolved": "tools/x", "funding": {"url": "https://x.example"}}',
      '.npmrc': 'fund=false\n',
    },
    at: [],
  },
  {
    rule: documents.completeLock,
    fault: 'an optional dependency for another platform without an entry',
    files: {
      'package-lock.json':
        '{"packages": {\n"": {"dependencies": {"a": "1"}},\n' +
        '"node_modules/a": {"optionalDependencies": {"a-win32": "1", "a-linux": "1"}},\n' +
        '"node_modules/a-linux": {}}}',
    },
    at: ['package-lock.json:3'],
  },
  {
    rule: documents.completeLock,
    fault: 'nothing where entries are beside, nested or reached from a linked folder',
    files: {
      'package-lock.json':
        '{"packages": {"": {"dependencies": {"a": "1"}}, "node_modules/b": {},' +
        '"node_modules/a": {"dependencies": {"b": "1", "c": "1"}},' +
        '"node_modules/a/node_modules/c": {"dependencies": {"b": "1"}},' +
        '"tools/x": {"optionalDependencies": {"b": "1"}}}}',
    },
    at: [],
  },
]
