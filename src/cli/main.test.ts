import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import type { Command } from 'commander'
import { DIALECTS } from '../../test/support/dialects.ts'
import { refusalOf } from '../../test/support/hub/command-line.ts'
import { until } from '../../test/support/hub/hub.ts'
import { PROGRAM, startHubProcess } from '../../test/support/hub/hub-process.ts'
import { portFlags } from '../../test/support/ports.ts'
import { VERSION } from '../version.ts'
import { createProgram } from './main.ts'

interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

function pentameter(args: readonly string[], input: string | Buffer = ''): Ended {
  return spawnSync(process.execPath, [PROGRAM, ...args], { input, encoding: 'utf8' })
}

test('--version prints the version of package.json', () => {
  assert.deepEqual(pentameter(['--version']).stdout, `${VERSION}\n`)
})

test('every command explains itself with examples of its own', async () => {
  const explain = (command: Command, name: string): void => {
    let help = ''
    command.configureOutput({ writeOut: (part) => (help += part) }).outputHelp()
    assert.ok(help.startsWith(`Usage: ${name} `), help)
    const [, list = ''] = help.split('\nExamples:\n')
    const examples = list.split('\n').filter((line) => line.startsWith('  $ '))
    assert.ok(examples.length >= 2, `${name} has examples:\n${help}`)
    for (const line of examples) assert.ok(line.includes(name), `${line} is an example of ${name}`)
    for (const each of command.commands) explain(each, `${name} ${each.name()}`)
  }
  const program = await createProgram()
  assert.ok(program.commands.length >= 8)
  explain(program, 'pentameter')
})

test('--help of a command is no error', () => {
  const { status, stdout, stderr } = pentameter(['proxy-wasm', 'run', '--help'])
  assert.match(stdout, /^Usage: pentameter proxy-wasm run /)
  assert.deepEqual([status, stderr], [0, ''])
})

for (const [args, message] of [
  [[], /Usage/],
  [['nosuch'], /unknown command 'nosuch'/],
  [['decode'], /missing required argument/],
  [['decode', 'nosuch'], /Allowed choices are/],
  [['serve', '--text-port', '70000'], /want a port/],
  [['serve', '--ingest-workers', '65'], /want auto, or a whole number of 0 to 64/],
  [['serve', '--ingest-workers', 'auto', '--log', 'xml'], /'xml' is invalid/],
  [['serve', '--log', 'xml'], /Allowed choices are text, json/],
  [['serve', '--config', '/nonexistent.yaml'], /config file \/nonexistent.yaml/],
  [['serve', '--relay', 'nosuch://x:1'], /no dialect nosuch/],
  [['serv'], /Did you mean serve\?/],
  [['serve', '--htp-port', '1'], /Did you mean --http-port\?/],
  [['decode', 'statsher'], /Did you mean statshero\?/],
  [['serve', '--log', 'txt'], /Did you mean text\?/],
  [['serve', '--relay', 'statsher://x:1'], /no dialect statsher; did you mean statshero\?/],
  [['counters', 'monitor', 'htp://x'], /is unknown; did you mean http\?/],
] as const) {
  const words = args.join(' ') || 'no arguments'
  test(`wrong usage ends with 2 and says what is wrong: ${words}`, async (t) => {
    const { status, stderr } = await refusalOf(t, args)
    assert.match(stderr, message)
    assert.equal(status, 2)
  })
}

for (const [what, text, lines] of [
  [
    'options',
    'seriesLimit: 0\nnoSuchOption: 1\nstaleAftrS: 1\n',
    [
      'FILE: seriesLimit: 0, want at least 1',
      'FILE: noSuchOption: no such option',
      'FILE: staleAftrS: no such option; did you mean staleAfterS?',
    ],
  ],
  ['a list', '- 1\n', ['FILE: [1], want a mapping']],
  ['a tag', 'host: !nosuch 127.0.0.1\n', ['FILE: unresolved tag: !nosuch at line 1, column 7']],
  ['broken YAML', 'host: a: b\n', ['FILE: nested mappings are not allowed in compact mappings']],
] as const) {
  test(`${what} of a file that make no sense are told with the file's name`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'pentameter-'))
    const file = join(folder, 'hub.yaml')
    writeFileSync(file, text)
    const { status, stderr } = await refusalOf(t, ['serve', '--config', file])
    rmSync(folder, { recursive: true })
    assert.equal(status, 2)
    for (const line of lines) {
      assert.ok(stderr.includes(line.replace('FILE', `config file ${file}`)), stderr)
    }
    assert.equal(stderr.trim().split('\n').length, lines.length, stderr)
  })
}

test('a flag that makes no sense is told without a file', () => {
  const { status, stderr } = pentameter(['serve', '--series-limit', '0'])
  assert.equal(stderr, 'pentameter: seriesLimit: 0, want at least 1\n')
  assert.equal(status, 2)
})

test('decode --lines writes one JSON line per line, whatever the line is', () => {
  const lines = ['317c360a613a317c6d0a', '317c370a613a317c6d0a', 'zz', '', '317c340a6261640a']
  const { status, stdout } = pentameter(['decode', 'statshero', '--lines'], `${lines.join('\n')}\n`)
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(status, 0)
  assert.equal(answers.length, lines.length)
  assert.deepEqual(answers[0], {
    messages: [{ key: 'a', value: 1, type: 'm' }],
    errors: [],
    notes: [],
  })
  assert.deepEqual(answers[1].errors, [{ code: 'length_mismatch', offset: 2, resync: true }])
  assert.equal(answers[2].errors[0].code, 'bad_hex')
  assert.equal(answers[4].errors[0].code, 'parse_error')
})

test('encode is the inverse of decode', () => {
  const hex = Buffer.from('1|19\na:1|m\nb:-5|g\nc:9|h\n').toString('hex')
  const decoded = pentameter(['decode', 'statshero', '--lines'], `${hex}\n`).stdout
  assert.equal(pentameter(['encode', 'statshero', '--lines'], decoded).stdout, `${hex}\n`)
})

test('decode and encode know documents of Proxy-Wasm metrics, one message each', () => {
  const text = '{"pw.f.c":{"type":"counter","value":"18446744073709551615"}}\n'
  const good = pentameter(['decode', 'proxywasm'], `${text}{}`)
  assert.deepEqual([good.status, good.stdout], [0, `${text}{}\n`])
  assert.equal(pentameter(['encode', 'proxywasm'], good.stdout).stdout, `${text}{}\n`)
  const bad = pentameter(['decode', 'proxywasm'], '{"x":{"type":"timer"},"y":1}[]')
  assert.deepEqual([bad.status, bad.stdout], [1, '{}\n'])
  assert.match(bad.stderr, /bad_type at byte 1: nothing else is lost/)
  assert.match(bad.stderr, /bad_document at byte 0: what follows could not be read/)
})

test('decode without --lines reads raw bytes, and errors end with 1', () => {
  const good = pentameter(['decode', 'statshero'], '1|6\na:1|m\n')
  assert.deepEqual([good.status, good.stdout], [0, '{"key":"a","value":1,"type":"m"}\n'])
  const bad = pentameter(['decode', 'statshero'], '1|10\nbad\na:1|m\n')
  assert.deepEqual([bad.status, bad.stdout], [1, '{"key":"a","value":1,"type":"m"}\n'])
  assert.match(bad.stderr, /parse_error at byte 5/)
})

test('decode reads a file that is named, and says why it can’t', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-'))
  const file = join(folder, 'captured')
  try {
    writeFileSync(file, '1|6\na:1|m\n')
    const good = pentameter(['decode', 'statshero', file])
    assert.deepEqual([good.status, good.stdout], [0, '{"key":"a","value":1,"type":"m"}\n'])
    writeFileSync(file, '317c360a613a317c6d0a\n')
    const lines = pentameter(['decode', 'statshero', '--lines', file])
    assert.deepEqual(JSON.parse(lines.stdout).messages, [{ key: 'a', value: 1, type: 'm' }])
    const missing = pentameter(['decode', 'statshero', `${file}.no`])
    assert.deepEqual([missing.status, missing.stdout], [1, ''])
    assert.match(missing.stderr, /^pentameter: can't read .*captured\.no: ENOENT/)
    assert.match(pentameter(['decode', 'statshero', folder]).stderr, /can't read .*: EISDIR/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('encode names the line and the code of what a dialect cannot say', () => {
  const input = '{"messages":[{"key":"a","value":1.5,"type":"m"}]}\nno json\n'
  const { status, stdout, stderr } = pentameter(['encode', 'statshero', '--lines'], input)
  assert.deepEqual([status, stdout], [1, '\n\n'])
  assert.match(stderr, /line 1: bad_value/)
  assert.match(stderr, /line 2 is no JSON/)
})

test('encode names the right field beside a wrong one, also where it could do without', () => {
  const encoded = (dialect: string, message: unknown) => {
    const { status, stdout, stderr } = pentameter(['encode', dialect], JSON.stringify(message))
    assert.deepEqual([status, stdout], [1, ''], dialect)
    return stderr
  }
  const line = { ky: 'a', value: 1, type: 'm' }
  assert.equal(
    encoded('statshero', line),
    'pentameter: empty_key: a line needs a key; ky: did you mean key?\n',
  )
  const join = { type: 'join', application: 'a', wroker: 'w' }
  assert.match(
    encoded('wallaroo', join),
    /^pentameter: bad_message: .*; wroker: did you mean worker/,
  )
  const labels = [{ name: '__name__', value: 'a' }]
  const timeseries = [{ labels, samples: [{ value: 1, timestmp: 5 }] }]
  assert.equal(
    encoded('remotewrite', { timeseries }),
    'pentameter: timestmp: did you mean timestamp?\n',
  )
})

test('encode has the options of encoding that one dialect has, for that one', () => {
  const bins = { 1: 2 }
  const names = { application: 'a', category: 'computation', name: 'n', worker: 'w', pipeline: 'p' }
  const rest = { id: 1, min_ns: 1, max_ns: 2, period_ns: 2e9, end_ns: 4e9 }
  const input = JSON.stringify({ type: 'metrics', ...names, bins, ...rest })
  const size = (...args: string[]) =>
    pentameter(['encode', 'wallaroo', '--lines', ...args], input).stdout.trim().length / 2
  const document = size('--profile', 'document')
  assert.ok(document > 65 * 8)
  assert.equal(size('--profile', 'document', '--array-sizes'), document + 4)
  const { status, stderr } = pentameter(['encode', 'wallaroo', '--array-sizes'], input)
  assert.deepEqual(
    [status, stderr],
    [1, 'pentameter: arraySizes: want it with profile document only\n'],
  )
  const other = pentameter(['encode', 'scope', '--array-sizes'], '{}')
  assert.deepEqual(
    [other.status, other.stderr.split('\n')[0]],
    [2, 'pentameter: --array-sizes is of wallaroo alone'],
  )
})

test('encode refuses a number that it would have to round, and takes its text', () => {
  const line = (value: string) => `{"key":"a","value":${value},"type":"m"}\n`
  const given = [
    '9007199254740993',
    '18446744073709551615',
    '1e400',
    '9007199254740993.0',
    '7.00000000000000000001',
  ]
  const { status, stdout, stderr } = pentameter(
    ['encode', 'statshero', '--lines'],
    [...given, '"9007199254740993"', '9007199254740991', '7.0e1', '-0'].map(line).join(''),
  )
  assert.equal(status, 1)
  assert.deepEqual(
    stdout.split('\n').map((hex) => Buffer.from(hex, 'hex').toString().split('\n')[1]),
    [
      ...given.map(() => undefined),
      ...['a:9007199254740993|m', 'a:9007199254740991|m', 'a:70|m', 'a:0|m', undefined],
    ],
  )
  assert.match(
    stderr,
    /line 1: bad_value: value: 9007199254740993 would be rounded to 9007199254740992; write/,
  )
  assert.match(stderr, /line 3: bad_value: value: 1e400 would be Infinity; write it as text/)
  const { stderr: rounded } = pentameter(['encode', 'statshero', '--lines'], line('1e30'))
  assert.match(rounded, /value: 1e30 would be rounded to 1000000000000000019884624838656;/)
})

test('completion offers commands, dialects and flags in every shell', () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { status, stdout } = pentameter(['completion', shell])
    assert.equal(status, 0)
    for (const word of ['serve', 'decode', 'text-port', ...DIALECTS.map(({ name }) => name)]) {
      assert.equal(stdout.includes(word), true, `${shell}: ${word}`)
    }
  }
  const syntax = spawnSync('bash', ['-n'], { input: pentameter(['completion', 'bash']).stdout })
  assert.equal(syntax.status, 0)
})

test('the address of a relay to Wallaroo stands in every help', () => {
  const address = 'wallaroo+tcp://'
  for (const command of ['serve', 'demo']) {
    assert.ok(pentameter([command, '--help']).stdout.includes(`${address}HOST:PORT`), command)
  }
  for (const shell of ['bash', 'zsh', 'fish']) {
    assert.ok(pentameter(['completion', shell]).stdout.includes(address), shell)
  }
  for (const document of ['README.md', 'docs/configuration.md']) {
    const text = readFileSync(new URL(`../../${document}`, import.meta.url), 'utf8')
    assert.ok(text.includes(`${address}HOST:PORT`), document)
  }
})

test('completion in fish tells flags of one sub-command from those of another', () => {
  const lines = pentameter(['completion', 'fish']).stdout.split('\n')
  const monitor =
    "-n '__fish_seen_subcommand_from counters; and __fish_seen_subcommand_from monitor'"
  const flags = lines.filter((line) => line.includes(monitor)).map((line) => line.split(' -l ')[1])
  assert.ok(flags.includes('threshold -x'), flags.join())
  assert.ok(!flags.some((flag) => flag?.startsWith('format')), flags.join())
  const run = "-n '__fish_seen_subcommand_from proxy-wasm; and __fish_seen_subcommand_from run'"
  assert.ok(lines.includes(`complete -c pentameter ${run} -F`))
  assert.ok(lines.some((line) => line.endsWith(' -s o -r -F')))
})

test('completion in bash knows what may follow each flag', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-'))
  writeFileSync(join(folder, 'hub one.yaml'), '')
  const script = pentameter(['completion', 'bash']).stdout
  const complete = (...words: string[]): string[] => {
    const last = words.length
    const call = `COMP_WORDS=(pentameter "$@"); COMP_CWORD=${last}; _pentameter`
    const print = `printf '%s\\n' "\${COMPREPLY[@]}"`
    const args = ['-c', `${script}\n${call}\n${print}`, 'bash', ...words]
    const { stdout } = spawnSync('bash', args, { cwd: folder, encoding: 'utf8' })
    return stdout.split('\n').filter((line) => line !== '')
  }
  assert.deepEqual(complete('serve', '--config', ''), ['hub one.yaml'])
  assert.deepEqual(complete('decode', 'scope', '--profile', ''), ['document', 'peer'])
  assert.deepEqual(complete('decode', 'scope', '--role', 's'), ['server'])
  assert.deepEqual(complete('encode', '--transport', ''), ['udp', 'tcp'])
  assert.deepEqual(complete('demo', '--log', 'j'), ['json'])
  assert.deepEqual(complete('serve', '--host', ''), [])
  assert.deepEqual(complete('serve', '--relay', 'wal'), ['wallaroo+tcp://'])
  assert.deepEqual(complete('demo', '--attach', ''), [
    'scope+tcp://',
    'http://',
    'pentameter://',
    'prometheus+http://',
    'dotnet://',
  ])
  assert.deepEqual(complete('serve', '--no-color', '--htt'), ['--http-port'])
  assert.deepEqual(complete('proxy-wasm', 'run', '--host', ''), ['spec', 'nginx', 'envoy'])
  assert.deepEqual(complete('proxy-wasm', 'ins'), ['inspect'])
  assert.deepEqual(complete('counters', 'm'), ['monitor'])
  assert.deepEqual(complete('counters', 'collect', '--format', ''), ['csv', 'json'])
  assert.deepEqual(complete('counters', 'monitor', '--sort', 'v'), ['value'])
  assert.deepEqual(complete('counters', 'monitor', '--refresh'), ['--refresh-interval'])
  assert.deepEqual(complete('proxy-wasm', 'run', 'hub'), ['hub one.yaml'])
  assert.deepEqual(complete('proxy-wasm', 'inspect', '--js'), ['--json'])
  assert.deepEqual(complete('counters', 'collect', '-o', ''), ['hub one.yaml'])
  assert.deepEqual(complete('counters', 'monitor', '--for'), [], 'that is a flag of collect')
  assert.deepEqual(complete('counters', '--re'), [], 'those are flags of its commands')
  assert.deepEqual(complete('series', 'delete', '--y'), ['--yes'])
  assert.deepEqual(complete('--ver'), ['--version'])
  assert.deepEqual(complete('h'), ['hist', 'history', 'help'])
  assert.deepEqual(complete('help', 'de'), ['demo', 'decode'])
  rmSync(folder, { recursive: true })
})

test('serve --log json is ready in its first line, and SIGTERM ends it with 0', async () => {
  const hub = await startHubProcess('serve')
  for (const { host, port } of Object.values(hub.listeners)) {
    assert.equal(host, '127.0.0.1')
    assert.equal(port > 0, true)
  }
  const { status } = await fetch(`http://127.0.0.1:${hub.listeners.http.port}/healthz`)
  assert.equal(status, 200)
  const { code, log } = await hub.stop()
  assert.equal(code, 0)
  for (const line of log.trim().split('\n')) JSON.parse(line)
})

test('SIGHUP does not end a hub without a terminal', async () => {
  const hub = await startHubProcess('serve')
  hub.signal('SIGHUP')
  await until(() => hub.log().includes('SIGHUP does nothing here'))
  const { status } = await fetch(`http://127.0.0.1:${hub.listeners.http.port}/healthz`)
  assert.equal(status, 200)
  assert.equal((await hub.stop()).code, 0)
})

/** Takes a port, for as long as a test runs. */
async function takenPort(t: TestContext): Promise<string> {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  return String((other.address() as AddressInfo).port)
}

test('a taken http port is told in the ready line, and the hub still ends', async (t) => {
  const port = await takenPort(t)
  const hub = await startHubProcess('serve', '--http-port', port)
  const { http, text } = hub.listeners
  assert.deepEqual(http, {
    host: '127.0.0.1',
    port: Number(port),
    error: 'port is taken by another process',
  })
  assert.equal('error' in text, false)
  assert.equal((await hub.stop()).code, 0)
})

test('a hub that can listen nowhere says so and ends with 1', async (t) => {
  const port = await takenPort(t)
  const { status, stderr } = await pentameterAsync(['serve', ...portFlags(Number(port))])
  assert.equal(status, 1)
  assert.match(stderr, /no listener could be started:\n {2}http port \d+: /)
  if (existsSync('/proc/net/tcp')) {
    const line = `http port ${port}: held by process ${process.pid} (node`
    assert.ok(stderr.includes(line), stderr)
  }
  assert.match(stderr, /--http-port PORT takes another\n/)
})

test('a demo without all of its ports ends with 1, and tells no other program', async (t) => {
  let connections = 0
  const other = createServer(() => connections++).listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  const { port } = other.address() as AddressInfo
  const rest = ['--http-port', '0', '--stream-port', '0', '--ingest-workers', '0']
  const { status, stdout, stderr } = await pentameterAsync([
    ...['demo', '--text-port', String(port)],
    ...rest,
  ])
  assert.equal(status, 1, stderr)
  assert.match(stderr, /the demo needs all of its ports:\n {2}text port \d+: /)
  assert.match(stderr, /--text-port PORT takes another\n/)
  assert.deepEqual([stdout, connections], ['', 0])
})

/** As {@link pentameter}, while this process goes on. */
async function pentameterAsync(args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 30_000,
  })
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = (await once(child, 'close')) as [number | null]
  const [stdout, stderr] = await output
  return { status, stdout, stderr }
}
