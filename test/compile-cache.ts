/**
 * Loaded first by every test process (`--import`): keeps the compiled form of all modules on disk,
 * because stripping types and compiling is most of what a short process does, and hundreds of them
 * read the same sources. Programs that tests start find the folder in their environment.
 */
import { enableCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Shared with other projects, as Node's own default is; it holds a folder for each version.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')
enableCompileCache(process.env.NODE_COMPILE_CACHE)

// hubs that tests start write nothing into the state folder of who runs the tests
process.env.PENTAMETER_HISTORY ??= 'none'
