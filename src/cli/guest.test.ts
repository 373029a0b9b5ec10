/** What a dialect brings to the command line is there by its guest alone: a made-up one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import type { Guest } from '../dialects/guest.ts'
import { integer, list, type OptionSpec, STREAM_PORT, section, text } from '../dialects/options.ts'
import { GUESTS } from '../dialects/registry.ts'
import { ConfigError } from '../start-hub.ts'
import { createProgram } from './main.ts'
import { addHubFlags, type HubArguments, readConfig } from './serve.ts'

const OPTIONS: OptionSpec = {
  greeting: text({ default: 'hello', flag: '--greeting <words>', description: 'said to a peer' }),
  keepMs: integer({
    min: 10,
    max: 500,
    default: 20,
    flag: '--keep <milliseconds>',
    description: 'kept so long',
  }),
  client: section({
    names: list(text({ default: '', description: 'name' }), {
      flag: '--name <name...>',
      description: 'asked for',
    }),
  }),
}

/** Scope under another name, with options, a command, examples and a part in the demo. */
const MADE_UP: Guest = {
  dialect: {
    ...GUESTS.find(({ dialect }) => dialect.port === STREAM_PORT)!.dialect,
    name: 'madeup',
    title: 'Made Up',
    options: OPTIONS,
  },
  addCommands(program) {
    program.command('greet').description('say hello').option('--loud', 'in capitals')
  },
  examples: {
    pentameter: [['pentameter greet', 'a word of welcome']],
    serve: ['pentameter serve --greeting hi'],
    decode: ['echo 00 | pentameter decode madeup'],
  },
  loadDemo: async () => ({ description: 'A made-up peer says hello.' }),
}

const PROGRAM = await createProgram([MADE_UP])

/** Everything below the flags included. */
function help(command?: string): string {
  let output = ''
  const found = PROGRAM.commands.find((each) => each.name() === command) ?? PROGRAM
  found.configureOutput({
    writeOut: (text) => {
      output += text
    },
  })
  found.outputHelp()
  return output.replace(/\s+/g, ' ')
}

test('its command, its examples and its sentence of the demo are in the help', () => {
  assert.match(help(), / greet \[options\] say hello /)
  assert.match(help(), /\$ pentameter greet +a word of welcome/)
  assert.match(help('serve'), /\$ pentameter serve --greeting hi/)
  assert.match(help('decode'), /\$ echo 00 \| pentameter decode madeup/)
  assert.match(help('demo'), /A made-up peer says hello\./)
})

test('its options are flags of serve and demo, with defaults', () => {
  for (const command of ['serve', 'demo']) {
    assert.match(help(command), /--greeting <words> said to a peer \(default: hello\)/)
    assert.match(help(command), /--keep <milliseconds> kept so long \(default: 20\)/)
    assert.match(help(command), /--name <name\.\.\.> asked for --/)
  }
})

/** The configuration that flags make. */
function configOf(...args: readonly string[]): ReturnType<typeof readConfig> {
  const command = addHubFlags(new Command('serve'), [MADE_UP]).exitOverride()
  command.configureOutput({ writeErr() {} }).parse(args, { from: 'user' })
  return readConfig(command.opts<HubArguments>(), [MADE_UP])
}

test('a flag sets its option at its place, and leaves others as they are', async () => {
  const flags = ['--greeting', 'hi', '--name', 'a', 'b', '--http-port', '0']
  const { madeup, httpPort, textPort } = await configOf(...flags)
  assert.deepEqual(madeup, { greeting: 'hi', keepMs: 20, client: { names: ['a', 'b'] } })
  assert.deepEqual([httpPort, textPort], [0, 8125])
})

test('a wrong value of a flag is told with what is wanted', async () => {
  const wanted = /want a number of milliseconds from 10 to 500/
  await assert.rejects(async () => configOf('--keep', '9'), wanted)
  await assert.rejects(async () => configOf('--keep', 'long'), wanted)
  await assert.rejects(async () => configOf('--http-port', '65536'), /want a port from 0 to 65535/)
  await assert.rejects(async () => configOf('--series-limit', '1.5'), /want a whole number/)
  await assert.rejects(async () => configOf('--series-limit', '0'), ConfigError)
})

test('a command of a dialect is run without those of others, by its stated names', async () => {
  const commandLine = { serve: async () => {}, counterSources: async () => [] }
  for (const guest of GUESTS) {
    const program = new Command()
    await guest.addCommands?.(program, commandLine)
    const names = program.commands.map((command) => command.name())
    assert.deepEqual(guest.commands ?? [], names, guest.dialect.name)
    for (const name of names) {
      const only = await createProgram(GUESTS, name)
      assert.deepEqual(
        only.commands.map((command) => command.name()),
        names,
      )
    }
  }
})
