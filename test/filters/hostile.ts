/** Filters in text form that no compiler would make: each would hurt its host or its neighbours. */
import { assembleWat } from './wat.ts'

interface FilterText {
  readonly imports?: string
  /** Instead of one page without a limit. */
  readonly memory?: string
  readonly abi?: string
  readonly allocator?: string
  /** Body of vm_start; leaves an i32. */
  readonly onStart?: string
  /** Body of request_headers; leaves an i32. */
  readonly onRequest?: string
  readonly more?: string
}

const GOES_ON = '(i32.const 0)'

export function filterText(parts: FilterText): string {
  const {
    imports = '',
    memory = '(memory (export "memory") 1)',
    abi = '(func (export "proxy_abi_version_0_2_1"))',
    allocator = `(func (export "proxy_on_memory_allocate") (param i32) (result i32)
      (i32.const 1024))`,
    onStart = '(i32.const 1)',
    onRequest = GOES_ON,
    more = '',
  } = parts
  return `(module ${imports} ${memory} ${abi} ${allocator}
    (global $turns (mut i32) (i32.const 0))
    (func (export "proxy_on_context_create") (param i32 i32))
    (func (export "proxy_on_vm_start") (param i32 i32) (result i32) ${onStart})
    (func (export "proxy_on_configure") (param i32 i32) (result i32) (i32.const 1))
    (func (export "proxy_on_request_headers") (param i32 i32 i32) (result i32)
      (local $i i32) (local $status i32) ${onRequest})
    ${more})`
}

export const DEFINE = `(import "env" "proxy_define_metric"
  (func $define (param i32 i32 i32 i32) (result i32)))`
export const INCREMENT = `(import "env" "proxy_increment_metric"
  (func $increment (param i32 i64) (result i32)))`
const LOG = '(import "env" "proxy_log" (func $log (param i32 i32 i32) (result i32)))'

const HOSTILE = {
  loops: { onRequest: `(loop $again (br $again)) ${GOES_ON}` },
  /** Counts a request in `n`, and returns from none after the second. */
  loopsLater: {
    imports: `${DEFINE} ${INCREMENT}`,
    memory: '(memory (export "memory") 1) (data (i32.const 16) "n")',
    onStart: `(i32.eqz
      (call $define (i32.const 0) (i32.const 16) (i32.const 1) (i32.const 32)))`,
    onRequest: `
      (drop (call $increment (i32.load (i32.const 32)) (i64.const 1)))
      (global.set $turns (i32.add (global.get $turns) (i32.const 1)))
      (loop $again (br_if $again (i32.gt_u (global.get $turns) (i32.const 2))))
      ${GOES_ON}`,
  },
  loopsAtStart: { onStart: '(loop $again (br $again)) (i32.const 1)' },
  traps: { onRequest: 'unreachable' },
  trapsAtStart: { onStart: 'unreachable' },
  answersFalse: { onStart: '(i32.const 0)' },
  exits: {
    imports: '(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))',
    onRequest: `(call $exit (i32.const 3)) ${GOES_ON}`,
  },
  recurses: {
    more: `(func $deep (param i32) (result i32)
      (i32.add (i32.const 1) (call $deep (i32.const 1))))`,
    onRequest: '(call $deep (i32.const 0))',
  },
  /** Defines at every depth of its stack, down to the last frame. */
  definesAtStackEnd: {
    imports: DEFINE,
    more: `
      (func $dig (param $n i32) (result i32)
        (i32.store8 (i32.const 16) (i32.rem_u (local.get $n) (i32.const 251)))
        (i32.store8 (i32.const 17) (i32.div_u (local.get $n) (i32.const 251)))
        (drop (call $define (i32.const 0) (i32.const 16) (i32.const 2) (i32.const 32)))
        (call $dig (i32.add (local.get $n) (i32.const 1))))`,
    onRequest: '(call $dig (i32.const 0))',
  },
  /** A million names in one request. */
  definesMillions: {
    imports: DEFINE,
    onRequest: `
      (loop $next
        (i32.store (i32.const 16) (local.get $i))
        (local.set $status
          (call $define (i32.const 0) (i32.const 16) (i32.const 4) (i32.const 32)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $next (i32.lt_u (local.get $i) (i32.const 1000000))))
      ${GOES_ON}`,
  },
  /** Pages until it gets none. */
  takesMemory: {
    onRequest: `
      (loop $next
        (br_if $next (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
      ${GOES_ON}`,
  },
  invents: {
    imports: `
      (import "env" "proxy_make_coffee" (func $coffee (param i32 i64) (result i32)))
      (import "elsewhere" "wide" (func $wide (result i64)))
      (import "elsewhere" "quiet" (func $quiet))`,
    onRequest: `
      (call $quiet)
      (if (i32.ne (call $coffee (i32.const 1) (i64.const 2)) (i32.const 12)) (then unreachable))
      (if (i64.ne (call $wide) (i64.const 12)) (then unreachable))
      ${GOES_ON}`,
  },
  floodsLog: {
    imports: LOG,
    onRequest: `
      (loop $next
        (drop (call $log (i32.const 2) (i32.const 0) (i32.const 65536)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $next (i32.lt_u (local.get $i) (i32.const 5000))))
      ${GOES_ON}`,
  },
  /** Its allocator answers an address behind the end of its memory. */
  liesAboutMemory: {
    imports: `(import "env" "proxy_get_property"
      (func $property (param i32 i32 i32 i32) (result i32)))`,
    memory: '(memory (export "memory") 1) (data (i32.const 64) "plugin_name")',
    allocator: `(func (export "malloc") (param i32) (result i32) (i32.const -2))`,
    onRequest: `
      (if (i32.ne (i32.const 10)
          (call $property (i32.const 64) (i32.const 11) (i32.const 32) (i32.const 36)))
        (then unreachable))
      (i32.or (i32.load (i32.const 32)) (i32.load (i32.const 36)))`,
  },
  /** Ids that were never given, and all those of its neighbours. */
  guessesIds: {
    imports: INCREMENT,
    onRequest: `
      (loop $next
        (drop (call $increment (local.get $i) (i64.const 1)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $next (i32.lt_u (local.get $i) (i32.const 100000))))
      (drop (call $increment (i32.const -1) (i64.const 1)))
      ${GOES_ON}`,
  },
  /** Asks for ticks when it is told of its end. */
  ticksAtEnd: {
    imports: `(import "env" "proxy_set_tick_period_milliseconds"
      (func $tick (param i32) (result i32)))`,
    more: `
      (func (export "proxy_on_done") (param i32) (result i32)
        (drop (call $tick (i32.const 1))) (i32.const 1))
      (func (export "proxy_on_tick") (param i32))`,
  },
  /** Imports by names that every object of JavaScript inherits something under. */
  importsInherited: {
    imports: `
      (import "constructor" "keys" (func $keys (result i32)))
      (import "__proto__" "polluted" (func $polluted (result i32)))
      (import "env" "__proto__" (func $proto (result i32)))`,
    onRequest: `(i32.sub (i32.add (call $keys) (call $proto))
      (i32.add (call $polluted) (i32.const 12)))`,
  },
  throwsItself: { more: '(tag $e)', onRequest: '(throw $e)' },
  /** Entries of a table until it gets none; answers how many there are, in tens of thousands. */
  growsTable: {
    more: '(table $t 1 funcref)',
    onRequest: `
      (loop $next
        (br_if $next
          (i32.ne (table.grow $t (ref.null func) (i32.const 10000)) (i32.const -1))))
      (if (i32.gt_u (table.size $t) (i32.const 1000000)) (then unreachable))
      (i32.const 0)`,
  },
  wantsTables: {
    more: '(table 10000000 funcref) '.repeat(30),
  },
  hasTwoMemories: { memory: '(memory (export "memory") 1) (memory 1)' },
  wantsTag: { imports: '(import "env" "tag" (tag (param i32)))' },
  hasNoAbi: { abi: '' },
  hasNoAllocator: { allocator: '' },
  hasNoMemory: { memory: '(memory 1)' },
  wantsMuchMemory: { memory: '(memory (export "memory") 2000)' },
  wantsSharedMemory: { memory: '(memory (export "memory") 1 2 shared)' },
  wantsGlobal: { imports: '(import "env" "secret" (global i32))' },
} as const satisfies Readonly<Record<string, FilterText>>

export type HostileName = keyof typeof HOSTILE

export function hostileFilter(name: HostileName): Promise<Uint8Array> {
  return assembleWat(filterText(HOSTILE[name]), `${name}.wat`)
}
