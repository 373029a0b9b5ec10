/** Faults of exports that have no user. */
import * as exported from '../export-rules.ts'
import type { Fault } from './fault.ts'

const MANIFEST =
  '{"exports":{"./x":{"types":"./dist/x/index.d.ts"},"./*":"./dist/dialects/*/index.js"}}'

export const EXPORT_FAULTS: readonly Fault[] = [
  {
    rule: exported.usedExports,
    fault: 'a function that only its own file uses, a type that only a test takes',
    files: {
      'package.json': MANIFEST,
      'src/hub/a.ts': 'export function f() {}\n\nexport interface A {}\n',
      'src/hub/a.test.ts': "import { f, type A } from './a.ts'\n",
    },
    at: ['src/hub/a.ts:1', 'src/hub/a.ts:3'],
  },
  {
    rule: exported.usedExports,
    fault: 'a name that is handed on and on, and taken by no file',
    files: {
      'package.json': MANIFEST,
      'src/hub/a.ts': 'export const a = 1\nexport const b = 1\n',
      'src/hub/index.ts': "export { a as c, b } from './a.ts'\n",
      'src/http/b.ts': "import { b } from '../hub/index.ts'\n",
    },
    at: ['src/hub/a.ts:1', 'src/hub/index.ts:1'],
  },
  {
    rule: exported.usedExports,
    fault: 'nothing in the type of what an exported function gives',
    files: {
      'package.json': MANIFEST,
      'src/hub/a.ts': 'export interface A {}\n\nexport function f(): A {}\n',
      'src/hub/b.ts': "import { f } from './a.ts'\nimport { g } from './c.ts'\n",
      'src/hub/c.ts': 'export class C {}\n\nexport function g(): C {}\n',
    },
    at: [],
  },
  {
    rule: exported.usedExports,
    fault: 'a file that hands out its address, in what nobody asks such a file for',
    files: {
      'package.json': MANIFEST,
      'src/hub/opened.ts':
        'export function open() {}\nexport function other() {}\n' +
        'export const source = () => ({ module: import.meta.url })\n',
      'src/hub/hidden.ts': 'export function open() {}\n',
      'src/hub/program.ts':
        "import { source } from './opened.ts'\n" +
        'const opener: { open: Open } = await import(start.module)\n',
    },
    at: ['src/hub/opened.ts:2', 'src/hub/hidden.ts:1'],
  },
  {
    rule: exported.usedExports,
    fault: 'nothing: imports, entries, stars, whole modules, programs of threads, views by pattern',
    files: {
      'package.json': MANIFEST,
      'src/x/index.ts': "export * from './a.ts'\nexport { b, type B as C } from './b.ts'\n",
      'src/x/a.ts': 'export const a = 1\nexport async function* g() {}\n',
      'src/x/b.ts': 'export const b = 1\nexport type B = 1\nexport abstract class D {}\n',
      'src/dialects/y/index.ts': 'export const y = 1\n',
      'src/dialects/y/view/view.ts': 'export const view = 1\n',
      'src/dialects/z/view/view.tsx': 'export const view = 1\n',
      'src/hub/a.ts':
        "import { type D } from '../x/b.ts'\nimport * as e from './e.ts'\n" +
        "const f = await import('./f.ts')\nnew URL('./program.ts', import.meta.url)\n" +
        "import.meta.glob('../dialects/*/view/view.{ts,tsx}', { eager: true })\n",
      'src/hub/e.ts': 'export const e = 1\n',
      'src/hub/f.ts': 'const f = 1\nexport { f }\n',
      'src/hub/program.ts': 'export type Program = 1\n',
      'src/cli/main.ts': 'export async function main() {}\n',
    },
    at: [],
  },
]
