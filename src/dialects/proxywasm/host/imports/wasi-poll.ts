/**
 * WASI's `poll_oneoff`, by which runtimes sleep: the streams are always ready, clocks are waited
 * for, at most to the end of the call's time.
 *
 *   subscription  preview1, 48 B  [userdata:u64][type:u8] pad 7
 *                                 clock [id:u32] pad 4 [timeout:u64][precision:u64][flags:u16]
 *                                 stream [fd:u32]
 *                 unstable, 56 B  the same, with an [identifier:u64] before a clock's id
 *   event, 32 B                   [userdata:u64][error:u16][type:u8] pad 5 [bytes:u64][flags:u16]
 */
import type { FilterVm } from '../instance/vm.ts'
import { wallNs } from './context.ts'
import { isOpen } from './wasi-descriptors.ts'
import { CLOCK, ERRNO, FD } from './wasi-numbers.ts'

interface SubscriptionLayout {
  readonly bytes: number
  readonly clockAt: number
}

export const SUBSCRIPTIONS = Object.freeze({
  preview1: { bytes: 48, clockAt: 16 },
  unstable: { bytes: 56, clockAt: 24 },
})

const TYPE_AT = 8
const STREAM_AT = 16
const TIMEOUT_AT = 8
const FLAGS_AT = 24
const EVENT_BYTES = 32
const TYPE = Object.freeze({ clock: 0, read: 1, write: 2 })
const IS_ABSOLUTE = 1
const HAS_HUNG_UP = 1
/** Subscriptions of one call: more than any filter has streams and timers. */
const SUBSCRIPTIONS_LIMIT = 1_024

/** Outcome of a subscription, or the time until there is one. */
type Subscribed =
  | { readonly readyInNs: bigint }
  | { readonly error: number; readonly flags: number }

/** Makes the call of one of WASI's modules. */
export function poll({ bytes, clockAt }: SubscriptionLayout) {
  return (vm: FilterVm, at: number, eventsAt: number, count: number, countAt: number): number => {
    const { memory } = vm
    const number = count >>> 0
    if (number === 0 || number > SUBSCRIPTIONS_LIMIT) return ERRNO.invalid
    const isInside = memory.has(at, number * bytes) && memory.has(eventsAt, number * EVENT_BYTES)
    if (!isInside || !memory.has(countAt, 4)) return ERRNO.fault
    // read all first: events may be written over what they answer
    const subscriptions = Array.from({ length: number }, (_, i) => {
      const from = (at >>> 0) + i * bytes
      const head = memory.view(from, TYPE_AT + 1).slice()
      return { head, is: subscribed(vm, from, from + clockAt) }
    })
    const waits = subscriptions.map(({ is }) => ('readyInNs' in is ? is.readyInNs : 0n))
    const waitNs = waits.reduce((least, each) => (each < least ? each : least))
    if (!vm.sleep(waitNs)) return ERRNO.interrupted
    let events = 0
    subscriptions.forEach(({ head, is }, i) => {
      if (waits[i]! > waitNs) return
      const event = memory.view(eventsAt + events++ * EVENT_BYTES, EVENT_BYTES)
      event.fill(0)
      event.set(head.subarray(0, TYPE_AT))
      event[TYPE_AT] = 'error' in is ? is.error : ERRNO.success
      event[TYPE_AT + 2] = head[TYPE_AT]!
      event[EVENT_BYTES - 8] = 'flags' in is ? is.flags : 0
    })
    memory.setU32(countAt, events)
    return ERRNO.success
  }
}

function subscribed(vm: FilterVm, at: number, clockAt: number): Subscribed {
  const { memory } = vm
  const [type] = memory.view(at + TYPE_AT, 1)
  if (type === TYPE.clock) return clockSubscribed(vm, clockAt)
  const fd = memory.u32(at + STREAM_AT)
  const isReader = type === TYPE.read
  if (!isReader && type !== TYPE.write) return { error: ERRNO.invalid, flags: 0 }
  if (!isOpen(vm, fd) || isReader !== (fd === FD.stdin)) return { error: ERRNO.badFile, flags: 0 }
  return { error: ERRNO.success, flags: isReader ? HAS_HUNG_UP : 0 }
}

function clockSubscribed(vm: FilterVm, at: number): Subscribed {
  const { memory } = vm
  const clock = memory.u32(at)
  if (clock !== CLOCK.realtime && clock !== CLOCK.monotonic) {
    return { error: ERRNO.invalid, flags: 0 }
  }
  const timeoutNs = memory.u64(at + TIMEOUT_AT)
  const [flags = 0] = memory.view(at + FLAGS_AT, 1)
  if ((flags & IS_ABSOLUTE) === 0) return { readyInNs: timeoutNs }
  const nowNs = clock === CLOCK.realtime ? wallNs(vm) : vm.clock.monotonicNs()
  return { readyInNs: timeoutNs > nowNs ? timeoutNs - nowNs : 0n }
}
