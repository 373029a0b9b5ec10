/** Faults of names: dialects outside their folders, words with several meanings. */
import * as names from '../name-rules.ts'
import type { Fault } from './fault.ts'

/** A registry of two: one with a name of two words, one whose name is a word of the field. */
const DIALECTS = {
  'src/dialects/index.ts': "export { bluehero } from './bluehero/guest.ts'\n",
  'src/dialects/bluehero/dialect.ts': "const bluehero = { title: 'Blue Hero' }\n",
  'src/dialects/scope/dialect.ts': "const scope = { title: 'Scope' }\n",
}

export const NAME_FAULTS: readonly Fault[] = [
  {
    rule: names.dialectNames,
    fault: 'a name in every spelling: imported, in code, in a comment, in another dialect, in CSS',
    files: {
      ...DIALECTS,
      'src/hub/a.ts':
        "import { x } from '../dialects/bluehero/x.ts'\n" +
        '// as Blue Hero does\nconst blueHeroLimit = 5\nconst BLUE_HERO = 5\n',
      'src/dialects/scope/map.ts': '// other than blue-hero\n',
      'src/web/a.css': '.bluehero {}\n',
    },
    at: ['src/hub/a.ts:1', 'src/hub/a.ts:2', 'src/hub/a.ts:3', 'src/hub/a.ts:4']
      .concat('src/dialects/scope/map.ts:1')
      .concat('src/web/a.css:1'),
  },
  {
    rule: names.dialectNames,
    fault: 'a name that is a word of the field, where it means the dialect',
    files: {
      ...DIALECTS,
      'src/hub/a.ts':
        "import { x } from '../dialects/scope/x.ts'\nif (dialect === 'scope') return\n" +
        '/** For scope viewers. */\nconnect("scope://" + host)\n',
    },
    at: ['src/hub/a.ts:1', 'src/hub/a.ts:2', 'src/hub/a.ts:3', 'src/hub/a.ts:4'],
  },
  {
    rule: names.dialectNames,
    fault: 'a dialect in instrument that is not the one it speaks',
    files: {
      ...DIALECTS,
      'src/dialects/eventcounters/dialect.ts': "const eventcounters = { title: 'EventCounters' }\n",
      'src/instrument/a.ts': '/** As .NET does in its EventCounter. */\n/** Not as Blue Hero. */\n',
      'src/http/a.ts': '/** EventCounter is one, and event-counters are many. */\n',
    },
    at: ['src/instrument/a.ts:2', 'src/http/a.ts:1'],
  },
  {
    rule: names.dialectNames,
    fault: 'a name that a stream carries, where it is more than that text',
    files: {
      ...DIALECTS,
      'src/dialects/eventcounters/dialect.ts': "const eventcounters = { title: 'EventCounters' }\n",
      'src/dialects/nettrace/dialect.ts': "const nettrace = { title: 'NetTrace' }\n",
      'src/dialects/nettrace/map.ts':
        "const EVENT = 'EventCounters'\n/** As EventCounters does. */\nconst eventCounters = 5\n",
    },
    at: ['src/dialects/nettrace/map.ts:2', 'src/dialects/nettrace/map.ts:3'],
  },
  {
    rule: names.dialectNames,
    fault: 'nothing in the own folder, in the registry, in tests, in the scopes of OTLP',
    files: {
      ...DIALECTS,
      'src/dialects/bluehero/map.ts': '/** Blue Hero. */\n',
      'src/hub/a.test.ts': "import { bluehero } from '../dialects/index.ts'\n",
      'src/http/otlp.ts': 'const text = `{"scope":` + scope // of an instrumentation scope\n',
    },
    at: [],
  },
  {
    rule: names.oldNames,
    fault: 'a class, a type, a function, a file and a field under their old names',
    files: {
      'src/hub/a.ts': 'export class Departures {}\nexport type Steps<T> = T\n',
      'src/hub/b.ts': 'export function inTurns<T>() {}\nexport function finish<T>() {}\n',
      'src/hub/turn.ts': '\nif (series.isDown) return\n',
      'src/hub/c.ts': 'interface CounterCell {}\ncounts.addVerbs(1)\n',
    },
    at: ['src/hub/a.ts:1', 'src/hub/a.ts:2', 'src/hub/b.ts:1', 'src/hub/b.ts:2']
      .concat('src/hub/turn.ts:0')
      .concat('src/hub/turn.ts:2')
      .concat('src/hub/c.ts:1')
      .concat('src/hub/c.ts:2'),
  },
  {
    rule: names.oldNames,
    fault: 'a constant, a parameter, a class, a type and a call under old names',
    files: {
      'src/hub/a.ts':
        'const Turn = 5\nclass TurnBudget {}\nexport class EmitError extends Error {}\n',
      'src/hub/b.ts': 'function f(Grid: number, steps: Steps): void {\n  inTurns(steps)\n}\n',
    },
    at: ['src/hub/a.ts:1', 'src/hub/a.ts:2', 'src/hub/a.ts:3']
      .concat('src/hub/b.ts:1', 'src/hub/b.ts:1')
      .concat('src/hub/b.ts:2'),
  },
  {
    rule: names.oldNames,
    fault: 'nothing in words that contain them, in methods, in the cell of the model',
    files: {
      'src/hub/a.ts': "// Steps: pass the Grid.\nconst finish = () => 'Pass'\nclass TurnTable {}\n",
      'src/hub/b.ts': "import type { CounterCell } from '../model/index.ts'\n",
      'src/model/cell.ts': 'export interface CounterCell {}\n',
    },
    at: [],
  },
  {
    rule: names.declaredOnce,
    fault: 'two errors of one name',
    files: {
      'src/dialects/x/a.ts': 'export class EncodeError extends Error {}\n',
      'src/wire/a.ts': '\nexport class EncodeError extends Error {}\n',
    },
    at: ['src/wire/a.ts:2'],
  },
  {
    rule: names.declaredOnce,
    fault: 'nothing where one declares and others hand it on',
    files: {
      'src/dialects/x/a.ts': "export { EncodeError } from '../../wire/a.ts'\n",
      'src/wire/a.ts': 'export class EncodeError extends Error {}\n',
    },
    at: [],
  },
]
