/** Folder of the history of a hub that was given none: in the state folder of the platform. */
import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { stateFolder } from '../disk/state-folder.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Word of the environment for none. */
const NONE = 'none'

/**
 * Gives the folder that a hub takes unless its configuration names one; empty for none.
 * `PENTAMETER_HISTORY` names another one, or `none`.
 */
export function defaultHistoryFolder(
  environment: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
  home = homedir(),
): string {
  const chosen = environment.PENTAMETER_HISTORY
  if (chosen === NONE) return ''
  if (chosen !== undefined && chosen !== '') return chosen
  return join(stateFolder(environment, platform, home), 'pentameter', 'history')
}

/** Makes a folder for the time of a demo. */
export function temporaryHistory(): { readonly path: string; end(): void } {
  const path = mkdtempSync(join(tmpdir(), 'pentameter-demo-'))
  return { path, end: () => rmSync(path, { recursive: true, force: true }) }
}
