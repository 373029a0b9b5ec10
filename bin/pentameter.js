#!/usr/bin/env node
/**
 * Starts the command line. Written for old Nodes too: where the one that runs this is older than
 * the product needs, the pinned one from the lock file takes over; without that it says so.
 * Runs the built files where they are those of the sources (the package, a checkout since
 * `npm ci`), and the sources otherwise (a checkout that was changed).
 */
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const OLDEST_MAJOR = 24
const SHELL_WATCH_MS = 500
const root = new URL('..', import.meta.url)
const args = process.argv.slice(2)
const text = readyMade()

if (args[0] === '--version' || args[0] === '-V') {
  // before anything is loaded, and whichever Node this is
  const manifest = readFileSync(new URL('package.json', root), 'utf8')
  process.stdout.write(`${JSON.parse(manifest).version}\n`)
} else if (text !== undefined) {
  process.stdout.on('error', endQuietly)
  process.stdout.write(text)
} else if (Number(process.versions.node.split('.')[0]) >= OLDEST_MAJOR) {
  await run()
} else {
  await runWithPinned()
}

/**
 * Finds a text that the build has ready made, so that nothing is loaded for it: a help, or a
 * completion script. The sources of a checkout print theirs themselves once they were changed.
 */
function readyMade() {
  const last = args[args.length - 1]
  const isHelp = last === '--help' || last === '-h'
  if (!isHelp && args[0] !== 'help' && args[0] !== 'completion') return undefined
  const words = isHelp ? args.slice(0, -1) : args[0] === 'help' ? args.slice(1) : args
  const name = (words === args ? args : [...words, '--help']).join(' ')
  try {
    const texts = JSON.parse(readFileSync(new URL('dist/cli/texts.json', root), 'utf8'))
    return Object.hasOwn(texts, name) && isBuilt() ? texts[name] : undefined
  } catch {
    return undefined // a checkout that is not built
  }
}

/** True where there are no sources, or none that changed since the build (tools/texts.ts). */
function isBuilt() {
  if (!existsSync(new URL('src/cli/main.ts', root))) return true
  try {
    const times = JSON.parse(readFileSync(new URL('dist/sources.json', root), 'utf8'))
    const folder = fileURLToPath(root)
    return Object.entries(times).every(
      ([path, changedMs]) => statSync(folder + path).mtimeMs === changedMs,
    )
  } catch {
    return false // never built, or a source is gone
  }
}

/** Ends when `pentameter --help | head` has seen enough. */
function endQuietly(error) {
  process.exit(error.code === 'EPIPE' ? 0 : 1)
}

/** Runs the command line in this process. */
async function run() {
  endWithStarter()
  if (process.channel === undefined) {
    onScriptEnd(() => {
      if (!process.emit('disconnect')) process.exit(1)
    })
  }
  const entry = new URL(isBuilt() ? 'dist/cli/main.js' : 'src/cli/main.ts', root)
  if (args[0] === 'serve') await holdBack()
  await keepCompiled()
  const { main } = await import(entry.href)
  process.exitCode = await main(args)
}

/**
 * Holds V8 back while a hub is loaded: its young generation does not grow, for what comes then
 * stays and an idle hub would never give back the room; its optimizing compiler, whose own code is
 * 5 MB of memory, waits for what goes on. Both are let go once the hub is up (src/cli/run-hub.ts).
 */
async function holdBack() {
  const { setFlagsFromString } = await import('node:v8')
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--no-opt')
}

/**
 * Keeps compiled code on disk, which is most of a start. Only in a folder that nobody else can
 * write: who writes there decides what runs. Without one, or where Node was told of another folder
 * or of none (NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE), the program just starts without.
 */
async function keepCompiled() {
  if (process.env.NODE_COMPILE_CACHE || process.env.NODE_DISABLE_COMPILE_CACHE) return
  const caches = cacheHome()
  const folder = join(caches, 'pentameter', 'compiled')
  try {
    // one by one: Node's recursive way never ends where nothing can be made, as in /proc
    for (const each of [caches, dirname(folder), folder]) {
      if (!existsSync(each)) mkdirSync(each, { mode: 0o700 })
    }
    if (!isOwn(realpathSync(folder))) return
  } catch {
    return // no home, or one that can't be written
  }
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(folder)
  // threads begin with their own environment: they look here
  process.env.NODE_COMPILE_CACHE = folder
}

/** Finds the folder that the system has for a user's caches. */
function cacheHome() {
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = process.env
  if (process.platform === 'win32') return local || join(homedir(), 'AppData', 'Local')
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches')
  return xdg?.startsWith('/') ? xdg : join(homedir(), '.cache')
}

/**
 * True when nobody but this user and root can put anything into a folder, or another in its place:
 * so it is with each folder above it. In one with the sticky bit a name stays its owner's.
 */
function isOwn(folder) {
  if (process.getuid === undefined) return true
  const { uid, mode } = lstatSync(folder)
  if (uid !== process.getuid() || mode & 0o022) return false
  for (let above = dirname(folder); ; above = dirname(above)) {
    const { uid, mode } = lstatSync(above)
    if (uid !== process.getuid() && uid !== 0) return false
    if (mode & 0o022 && !(mode & 0o1000)) return false
    if (above === dirname(above)) return true
  }
}

/** Hands over to the pinned Node of a checkout; without one the command fails. */
async function runWithPinned() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const pinned = fileURLToPath(new URL(`node_modules/.bin/${name}`, root))
  if (existsSync(pinned)) {
    const { spawn } = await import('node:child_process')
    handOver(spawn, pinned, [...process.execArgv, fileURLToPath(import.meta.url), ...args])
    return
  }
  process.stderr.write(
    `pentameter needs Node ${OLDEST_MAJOR} or newer, this is ${process.version}. ` +
      'In a checkout, `npm ci` brings the right one.\n',
  )
  process.exitCode = 1
}

/**
 * Runs the command under the pinned Node and ends as it does. A signal closes the channel between
 * the two, which asks the command to finish however many signals it got itself (a terminal sends
 * them to both); a second one ends it. The channel also closes when this process is killed.
 */
function handOver(spawn, node, args) {
  const child = spawn(node, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  const onSignal = () => {
    if (child.connected) child.disconnect()
    else child.kill('SIGKILL')
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, onSignal)
  // a terminal sends it to both; without one the command decides what it means
  const hasTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY)
  process.on('SIGHUP', hasTerminal ? onSignal : () => child.kill('SIGHUP'))
  onScriptEnd(() => {
    if (child.connected) child.disconnect()
  })
  child.on('error', (error) => {
    process.stderr.write(`pentameter: ${node} does not start: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code) => process.exit(code ?? 1))
}

/** The other side: commands that have nothing of their own to finish end at once. */
function endWithStarter() {
  if (process.channel === undefined) return
  process.on('disconnect', () => {
    if (process.listenerCount('disconnect') === 1) process.exit(1)
  })
  process.channel.unref()
}

/**
 * `npm run demo`, `npm start` and `npx pentameter …`: npm sends a signal to its shell alone, and
 * not every shell passes it on. Only these: what another script starts may be meant to outlive it.
 */
function onScriptEnd(finish) {
  const { npm_package_name: name, npm_lifecycle_event: script } = process.env
  const isOwn = name === 'pentameter' && (script === 'demo' || script === 'start')
  const command = process.env.npm_lifecycle_script ?? ''
  const isExecuted = script === 'npx' && /^["']?pentameter(@[^"'\s]*)?["']?(\s|$)/.test(command)
  if (!isOwn && !isExecuted) return
  const shell = process.ppid
  if (isForeign(shell)) return finish()
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    finish()
  }, SHELL_WATCH_MS)
  watch.unref()
}

/**
 * Tells whether a process is of another job than this one: it has then adopted this one, whose
 * shell was gone before it could be looked at. False where the system does not say (no Linux).
 */
function isForeign(pid) {
  try {
    const [own, other] = ['self', pid].map((id) => readFileSync(`/proc/${id}/stat`, 'utf8'))
    // pid (name) state ppid group …
    const groupOf = (stat) => stat.slice(stat.lastIndexOf(')')).split(' ')[3]
    return groupOf(own) !== groupOf(other)
  } catch {
    return false
  }
}
