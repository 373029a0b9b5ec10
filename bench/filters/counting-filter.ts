/**
 * A filter that does nothing but call its host: at each request it records CALLS times, going round
 * its metrics. In text form, so that nothing stands between the loop and the call.
 */
import { assembleWat } from '../../test/filters/wat.ts'

export const METRICS = 64
/** Calls of one request. */
export const CALLS = 2_000_000
/** Ids of the mode `spec` go on from 1 in order of definition: counters first. */
export const FIRST_COUNTER = 1
export const FIRST_HISTOGRAM = FIRST_COUNTER + METRICS
/** What a request observes, which falls into bin 16. */
export const OBSERVED = 10

/** Memory: name of two digits at 16, id at 32. */
function text(call: string): string {
  return `
(module
  (import "env" "proxy_define_metric"
    (func $define (param i32 i32 i32 i32) (result i32)))
  (import "env" "proxy_increment_metric" (func $increment (param i32 i64) (result i32)))
  (import "env" "proxy_record_metric" (func $record (param i32 i64) (result i32)))
  (memory (export "memory") 1)
  (func (export "proxy_abi_version_0_2_1"))
  (func (export "proxy_on_memory_allocate") (param i32) (result i32) (i32.const 1024))
  (func (export "proxy_on_context_create") (param i32 i32))
  (func (export "proxy_on_vm_start") (param i32 i32) (result i32)
    (call $defineAll (i32.const 0) (i32.const 0x63))
    (call $defineAll (i32.const 2) (i32.const 0x68))
    (i32.const 1))
  (func (export "proxy_on_configure") (param i32 i32) (result i32) (i32.const 1))

  (func $defineAll (param $type i32) (param $letter i32)
    (local $i i32)
    (i32.store8 (i32.const 16) (local.get $letter))
    (loop $next
      (i32.store8 (i32.const 17) (i32.add (i32.const 48) (local.get $i)))
      (if (call $define (local.get $type) (i32.const 16) (i32.const 2) (i32.const 32))
        (then unreachable))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (i32.const ${METRICS})))))

  (func (export "proxy_on_request_headers") (param i32 i32 i32) (result i32)
    (local $i i32)
    (loop $next
      (if ${call}
        (then unreachable))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $i) (i32.const ${CALLS}))))
    (i32.const 0))
)`
}

const METRIC = `(i32.and (local.get $i) (i32.const ${METRICS - 1}))`

const CALL_TEXTS = {
  increment: `(call $increment (i32.add (i32.const ${FIRST_COUNTER}) ${METRIC}) (i64.const 1))`,
  observe: `(call $record
    (i32.add (i32.const ${FIRST_HISTOGRAM}) ${METRIC}) (i64.const ${OBSERVED}))`,
}
export type FilterCall = keyof typeof CALL_TEXTS

export function assembleFilter(call: FilterCall): Promise<Uint8Array> {
  return assembleWat(text(CALL_TEXTS[call]), 'counting-filter.wat')
}
