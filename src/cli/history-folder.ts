/** Folder of the history of a hub that was given none: in the state folder of the platform. */
import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

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

/** Gives the folder of what programs keep and people do not edit, as each platform has it. */
function stateFolder(environment: Environment, platform: NodeJS.Platform, home: string): string {
  if (platform === 'win32') return environment.LOCALAPPDATA ?? join(home, 'AppData', 'Local')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  const state = environment.XDG_STATE_HOME
  // a relative path is none, says the specification of these folders
  return state?.startsWith('/') === true ? state : join(home, '.local', 'state')
}

/** Makes a folder for the time of a demo. */
export function temporaryHistory(): { readonly path: string; end(): void } {
  const path = mkdtempSync(join(tmpdir(), 'pentameter-demo-'))
  return { path, end: () => rmSync(path, { recursive: true, force: true }) }
}
