/**
 * Texts that the packed program prints without loading a command: each `--help`, and the completion
 * scripts. They are what the commands themselves print, asked for once, at the build.
 */
import { globSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { createProgram } from '../src/cli/main.ts'

const ROOT = join(import.meta.dirname, '..')

/** Reads the texts by the words behind `pentameter`: `serve --help`, `completion bash`. */
export async function commandTexts(): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  const visit = (command: Command, path: readonly string[]): void => {
    let help = ''
    command.configureOutput({ writeOut: (part) => (help += part) }).outputHelp()
    texts[[...path, '--help'].join(' ')] = help
    for (const each of command.commands) visit(each, [...path, each.name()])
  }
  visit(await createProgram(), [])
  for (const shell of ['bash', 'zsh', 'fish']) {
    const args = ['completion', shell]
    texts[args.join(' ')] = await printed(async () => {
      await (await createProgram()).parseAsync(args, { from: 'user' })
    })
  }
  return texts
}

/** Gathers what is written to standard output meanwhile. */
async function printed(run: () => Promise<void>): Promise<string> {
  const { stdout } = process
  const write = stdout.write
  let text = ''
  stdout.write = (part: string | Uint8Array): boolean => {
    text += part
    return true
  }
  try {
    await run()
  } finally {
    stdout.write = write
  }
  return text
}

/**
 * Writes the texts, and when each source was changed (milliseconds since 1970), by which the
 * starter of a checkout knows whether they are still true. The package has no such list.
 * @param out folder of the built package, where the starter looks for them
 */
export async function writeTexts(out: string): Promise<void> {
  const all = globSync('src/**/*.{ts,json}', { cwd: ROOT })
  const paths = all.filter((path) => !path.endsWith('.test.ts'))
  const times = paths.map((path) => [path, statSync(join(ROOT, path)).mtimeMs])
  writeFileSync(join(out, 'cli/texts.json'), JSON.stringify(await commandTexts()))
  writeFileSync(join(out, 'sources.json'), JSON.stringify(Object.fromEntries(times)))
}
