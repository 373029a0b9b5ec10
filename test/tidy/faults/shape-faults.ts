/** Faults of sizes, file names, folders and headers. */
import * as shapes from '../shape-rules.ts'
import type { Fault } from './fault.ts'

const long = (count: number, text: string): string => text.repeat(count)

/** Files `a.ts`, `b.ts`, … of a folder. */
function filesIn(folder: string, count: number): Record<string, string> {
  const names = [...'abcdefghijklmnopq'].slice(0, count)
  return Object.fromEntries(names.map((name) => [`${folder}/${name}.ts`, '']))
}

export const SHAPE_FAULTS: readonly Fault[] = [
  {
    rule: shapes.fileLength,
    fault: 'a file of 501 lines',
    files: { 'src/hub/a.ts': long(501, 'x\n') },
    at: ['src/hub/a.ts:501'],
  },
  {
    rule: shapes.fileLength,
    fault: 'nothing in a file of 500 lines, nor in long prose',
    files: { 'src/hub/a.ts': long(500, 'x\n'), 'README.md': long(900, 'x\n') },
    at: [],
  },
  {
    rule: shapes.columns,
    fault: 'a line of 101 columns in code and in prose',
    files: { 'src/a.ts': `\n${long(101, 'x')}\n`, 'README.md': `${long(21, 'word ')}\n` },
    at: ['src/a.ts:2', 'README.md:1'],
  },
  {
    rule: shapes.columns,
    fault: 'nothing: 100 columns of any script, tables, links, data and drawings',
    files: {
      'src/a.ts': long(100, '\u{1F4C8}'),
      'README.md': `| ${long(120, 'x')} |\n[a](${long(120, 'x')})\n`,
      'a.json': long(200, 'x'),
      'a.svg': long(200, 'x'),
    },
    at: [],
  },
  {
    rule: shapes.folderSize,
    fault: 'thirteen files in a folder, and in none below it',
    files: {
      ...filesIn('src/hub', 13),
      ...filesIn('src/hub/live', 12),
    },
    at: ['src/hub:0'],
  },
  {
    rule: shapes.folderSize,
    fault: 'nothing in twelve files beside tests, test rooms, data and prose',
    files: {
      ...filesIn('src/dialects/x', 12),
      ...filesIn('src/dialects/x/test', 13),
      'src/dialects/x/a.test.ts': '',
      'src/dialects/x/README.md': '',
      'src/dialects/x/x.json': '',
    },
    at: [],
  },
  {
    rule: shapes.drawers,
    fault: 'a folder called utils and a file called string-helpers',
    files: { 'src/hub/utils/a.ts': '', 'src/hub/string-helpers.ts': '' },
    at: ['src/hub/utils:0', 'src/hub/string-helpers.ts:0'],
  },
  {
    rule: shapes.drawers,
    fault: 'nothing in names that only contain the letters',
    files: { 'src/hub/uncommon.ts': '', 'test/support/a.ts': '' },
    at: [],
  },
  {
    rule: shapes.fileNames,
    fault: 'upper case and underscores',
    files: { 'src/Hub.ts': '', 'src/my_file.ts': '' },
    at: ['src/Hub.ts:0', 'src/my_file.ts:0'],
  },
  {
    rule: shapes.fileNames,
    fault: 'nothing in kebab case with several endings',
    files: { 'src/key-table.test.ts': '', 'src/vite.config.ts': '', 'README.md': '' },
    at: [],
  },
  {
    rule: shapes.headers,
    fault: 'a source file that begins with code',
    files: { 'src/hub/a.ts': "import './b.ts'\n/** Late. */\n" },
    at: ['src/hub/a.ts:1'],
  },
  {
    rule: shapes.headers,
    fault: 'nothing in a file with a comment first, nor in a test',
    files: { 'src/a.ts': '/** A. */\n', 'src/b.css': '/* B */', 'src/a.test.ts': 'test()\n' },
    at: [],
  },
  {
    rule: shapes.dialectFiles,
    fault: 'a dialect without map, fuzz target and vectors',
    files: {
      'src/dialects/x/README.md': '',
      'src/dialects/x/spec.ts': '',
      'src/dialects/x/options.ts': '',
      'src/dialects/x/dialect.ts': '',
      'src/dialects/x/guest.ts': '',
      'src/dialects/x/codec.ts': '',
      'src/dialects/x/index.ts': '',
      'src/dialects/x/test/samples.ts': '',
      'src/dialects/x/test/vectors.ts': '',
    },
    at: ['src/dialects/x:0', 'src/dialects/x:0', 'src/dialects/x:0'],
  },
  {
    rule: shapes.dialectFiles,
    fault: 'nothing in a complete dialect',
    files: {
      'src/dialects/x/README.md': '',
      'src/dialects/x/spec.ts': '',
      'src/dialects/x/options.ts': '',
      'src/dialects/x/dialect.ts': '',
      'src/dialects/x/guest.ts': '',
      'src/dialects/x/codec.ts': '',
      'src/dialects/x/map.ts': '',
      'src/dialects/x/index.ts': '',
      'src/dialects/x/test/samples.ts': '',
      'src/dialects/x/test/fuzz.ts': '',
      'src/dialects/x/test/vectors.ts': '',
      'src/dialects/x/vectors/x.json': '',
    },
    at: [],
  },
]
