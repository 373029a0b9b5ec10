/** Folder of what programs keep and people do not edit, as each platform has it. */
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Gives the folder of this user, in which each program has one of its own. */
export function stateFolder(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
  home = homedir(),
): string {
  if (platform === 'win32') return environment.LOCALAPPDATA ?? join(home, 'AppData', 'Local')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  const state = environment.XDG_STATE_HOME
  // a relative path is none, says the specification of these folders
  return state?.startsWith('/') === true ? state : join(home, '.local', 'state')
}
