/** What `decode` and `encode` share: the dialect, and the options that pick a reading. */
import { Argument, type Command, Option } from 'commander'
import type { CodecOptions, Profile, Role, Transport } from '../dialects/decoder.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { DIALECTS, findDialect } from '../dialects/registry.ts'
import { CommandError, EXIT_USAGE } from './exit.ts'

interface CodecArguments {
  readonly lines?: boolean
  readonly profile?: Profile
  readonly role?: Role
  readonly strict?: boolean
  readonly transport?: Transport
}

/** One of the two directions, as a sub-command. */
export interface CodecCommand {
  readonly name: string
  readonly description: string
  /** What --lines does. */
  readonly lines: string
  readonly examples: string
  runAll(dialect: Dialect, options: CodecOptions): Promise<void>
  runLines(dialect: Dialect, options: CodecOptions): Promise<void>
}

export function addCodecCommand(program: Command, command: CodecCommand): Command {
  return program
    .command(command.name)
    .description(command.description)
    .addArgument(
      new Argument('<dialect>', 'which protocol').choices(DIALECTS.map(({ name }) => name)),
    )
    .option('--lines', command.lines)
    .addOption(
      new Option('--profile <profile>', 'as the document says, or as the real programs do').choices(
        ['document', 'peer'],
      ),
    )
    .addOption(
      new Option('--role <role>', 'whose side this is, where the directions differ').choices([
        'server',
        'client',
      ]),
    )
    .addOption(
      new Option('--transport <transport>', 'udp: whole messages; tcp: a stream').choices([
        'udp',
        'tcp',
      ]),
    )
    .addHelpText('after', command.examples)
    .action(async (name: string, args: CodecArguments) => {
      const run = args.lines ? command.runLines : command.runAll
      await run(dialectNamed(name), codecOptions(args))
    })
}

function codecOptions({ profile, role, strict, transport }: CodecArguments): CodecOptions {
  return {
    ...(profile === undefined ? {} : { profile }),
    ...(role === undefined ? {} : { role }),
    ...(strict === undefined ? {} : { strict }),
    ...(transport === undefined ? {} : { transport }),
  }
}

function dialectNamed(name: string): Dialect {
  const dialect = findDialect(name)
  if (dialect === undefined) throw new CommandError(`no dialect ${name}`, EXIT_USAGE)
  return dialect
}
