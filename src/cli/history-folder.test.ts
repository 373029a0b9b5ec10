import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultHistoryFolder } from './history-folder.ts'
import { readConfig, withHistory } from './serve.ts'

test('the history is in the state folder of each platform', () => {
  const linux = (environment: Record<string, string>) => {
    return defaultHistoryFolder(environment, 'linux', '/home/ada')
  }
  assert.equal(linux({}), '/home/ada/.local/state/pentameter/history')
  assert.equal(linux({ XDG_STATE_HOME: '/var/state' }), '/var/state/pentameter/history')
  assert.equal(linux({ XDG_STATE_HOME: 'state' }), '/home/ada/.local/state/pentameter/history')
  const mac = '/Users/ada/Library/Application Support/pentameter/history'
  assert.equal(defaultHistoryFolder({}, 'darwin', '/Users/ada'), mac)
  const windows = defaultHistoryFolder({ LOCALAPPDATA: 'C:/Local' }, 'win32', 'C:/Users/ada')
  assert.match(windows, /C:.Local.pentameter.history/)
})

test('the environment names another folder, or none', () => {
  assert.equal(defaultHistoryFolder({ PENTAMETER_HISTORY: '/data' }), '/data')
  assert.equal(defaultHistoryFolder({ PENTAMETER_HISTORY: 'none' }), '')
})

test('a folder that is stated is taken, and an empty one is none', async () => {
  const pathOf = async (flags: { history?: string | false }) => {
    const args = { log: 'text', color: false, ...flags } as const
    const config = await readConfig(args, [])
    return withHistory(config, args, () => '/state').history?.path
  }
  assert.equal(await pathOf({}), '/state')
  assert.equal(await pathOf({ history: '/data' }), '/data')
  assert.equal(await pathOf({ history: '' }), '')
  assert.equal(await pathOf({ history: false }), '')
})
