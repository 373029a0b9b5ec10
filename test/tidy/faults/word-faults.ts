/** Faults of words: in tests, prints, error codes and comments. */
import * as words from '../word-rules.ts'
import type { Fault } from './fault.ts'

export const WORD_FAULTS: readonly Fault[] = [
  {
    rule: words.focusedTests,
    fault: 'a focused test, a silent skip, and both as options',
    files: {
      'src/a.test.ts': "test('x', f)\ntest.only('x', f)\ntest.skip('y', f)\n",
      'src/b.test.ts': "test('x', { only: true }, f)\ntest('y', { skip: true }, f)\n",
    },
    at: ['src/a.test.ts:2', 'src/a.test.ts:3', 'src/b.test.ts:1', 'src/b.test.ts:2'],
  },
  {
    rule: words.focusedTests,
    fault: 'nothing in a skip that says why',
    files: {
      'src/a.test.ts': "test('x', { skip: 'no browser here' }, f)\ncontext.skip('no browser')\n",
    },
    at: [],
  },
  {
    rule: words.prints,
    fault: 'a print in the hub',
    files: { 'src/hub/a.ts': "\nif (x) console.log('x')\n" },
    at: ['src/hub/a.ts:2'],
  },
  {
    rule: words.prints,
    fault: 'nothing in the CLI, in the terminal, in a comment',
    files: {
      'src/cli/a.ts': "console.log('x')\n",
      'src/terminal/a.ts': "console.error('x')\n",
      'src/hub/a.ts': '/**\n * console.log(x)\n */\n// console.log(x)\n',
    },
    at: [],
  },
  {
    rule: words.errorCodes,
    fault: 'codes in three casings: in a list, a type, a count, an error and a refusal',
    files: {
      'src/dialects/x/spec.ts':
        "export const ERROR_CODES = [\n  'bad_type',\n  'bad-value',\n] as const\n" +
        "export type RefusalCode =\n  | 'too_long'\n  | 'tooShort'\n",
      'src/dialects/x/server.ts':
        "reports.count('requests', isLate ? 'timed-out' : 'done')\n" +
        "throw Object.assign(new Error(), { code: 'badName' })\nthis.#refuse('key-too-long')\n",
    },
    at: ['src/dialects/x/spec.ts:3', 'src/dialects/x/spec.ts:7', 'src/dialects/x/server.ts:1']
      .concat('src/dialects/x/server.ts:2')
      .concat('src/dialects/x/server.ts:3'),
  },
  {
    rule: words.errorCodes,
    fault: 'codes in double quotes and in templates',
    files: {
      'src/hub/a.ts':
        'const CODES = ["bad_type", "bad-value"]\ntype ErrorCode = "too_long" | "tooShort"\n' +
        `fail("bad-name", at)\nreports.count(\`requests\`, \`timed-\${how}\`)\n` +
        'throw Object.assign(new Error(), { code: `badKind` })\n',
    },
    at: ['src/hub/a.ts:1', 'src/hub/a.ts:2', 'src/hub/a.ts:4', 'src/hub/a.ts:3', 'src/hub/a.ts:5'],
  },
  {
    rule: words.errorCodes,
    fault: 'nothing in snake_case, in codes of the system, in sentences and in tests',
    files: {
      'src/hub/a.ts':
        "const NOTES = ['a', 'b_c2']\nif (is({ code: 'ECONNRESET' })) refuse('want a number')\n" +
        "const WORDS = ['not-a-code']\nreports.count('requests', reason)\n" +
        `fail(\`line \${n} is none\`)\nreports.count("emit", \`bad_\${what}\`)\n`,
      'src/hub/a.test.ts': "const CODES = ['bad-value']\n",
    },
    at: [],
  },
  {
    rule: words.persons,
    fault: 'a thread that is somebody, and a counter that is whoever\u2019s',
    files: {
      'src/shm/a.ts': '/** Waits until somebody\n * answers; the rest is whoever\u2019s. */\n',
    },
    at: ['src/shm/a.ts:1', 'src/shm/a.ts:2'],
  },
  {
    rule: words.persons,
    fault: 'the same in comments of a line and of a block',
    files: { 'src/shm/a.ts': 'await x // nobody has it\n/* Whoever asks. */\n' },
    at: ['src/shm/a.ts:1', 'src/shm/a.ts:2'],
  },
  {
    rule: words.persons,
    fault: 'nothing in texts, in tests, in words that name the thing',
    files: {
      'src/shm/a.ts':
        "/** Waits until a writer answers. */\nconst text = 'nobody listens' // at all\n",
      'src/shm/a.test.ts': '/** Nobody answers. */\n',
    },
    at: [],
  },
  {
    rule: words.commentBeginnings,
    fault: 'comments of things without a noun, of functions and methods without a verb',
    files: {
      'src/hub/a.ts':
        '/** What the file is for. */\n/** Of a socket, until it closes. */\nconst limit = 1\n' +
        '/**\n * The series of a key.\n */\nexport function find(key: string): Series {}\n' +
        'class A {\n  /** Whether it is full. */\n  static async isFull<T>(of: T): boolean {}\n' +
        '  /** How long it waits. */\n  get waitMs(): number {}\n}\n',
    },
    at: ['src/hub/a.ts:2', 'src/hub/a.ts:4', 'src/hub/a.ts:9', 'src/hub/a.ts:11'],
  },
  {
    rule: words.commentBeginnings,
    fault: 'nothing in nouns of things, in verbs of functions, in tags alone and in tests',
    files: {
      'src/hub/a.ts':
        '/** What the file is for. */\n/** The longest wait, ms. */\nconst limit = 1\n' +
        '/** Finds the series of a key. */\nexport function find(key: string): Series {}\n' +
        '/** @throws {TypeError} for what is no key */\nfunction check(key: unknown): void {}\n' +
        'class A {\n  /** Whether it is full. */\n  isFull = false\n' +
        '  /** The name in use. */\n  get name(): string {}\n}\n',
      'src/hub/a.test.ts': '/** As a peer sends it. */\nconst bytes = 1\n',
    },
    at: [],
  },
]
