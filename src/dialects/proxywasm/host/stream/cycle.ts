/** A request's way through an instance: the callbacks in their order, as far as the filter goes. */
import { ACTION_CONTINUE } from '../abi.ts'
import { type FilterInstance, ROOT_CONTEXT } from '../instance/instance.ts'
import type { FilterVerdict } from './exchange.ts'
import type { FilterStream } from './stream.ts'

/**
 * Creates the context, runs request and response through it, and takes it away. A response of the
 * filter's own passes its response callbacks, as both real hosts do it.
 * @throws {FilterTrap} when the instance ended
 */
export function runStream(instance: FilterInstance, stream: FilterStream): FilterVerdict {
  instance.setStream(stream)
  try {
    instance.call('proxy_on_context_create', stream.id, ROOT_CONTEXT)
    const passed = runSide(instance, stream, 'request')
    const isOver = !passed && stream.localResponse === undefined
    const isPaused = isOver || !runSide(instance, stream, 'response')
    instance.call('proxy_on_done', stream.id)
    instance.call('proxy_on_log', stream.id)
    instance.call('proxy_on_delete', stream.id)
    if (stream.localResponse !== undefined) return 'answered'
    return isPaused ? 'paused' : 'completed'
  } finally {
    instance.setStream(undefined)
  }
}

/** @returns false when the filter waits, or has answered itself meanwhile */
function runSide(
  instance: FilterInstance,
  stream: FilterStream,
  side: 'request' | 'response',
): boolean {
  const answered = stream.localResponse
  const body = stream.bodies[side].length
  const trailers = stream.maps[`${side}Trailers`].count
  const headers = stream.maps[`${side}Headers`].count
  const steps: [what: 'headers' | 'body' | 'trailers', size: number, isLast: boolean][] = [
    ['headers', headers, body === 0 && trailers === 0],
  ]
  if (body > 0) steps.push(['body', body, trailers === 0])
  if (trailers > 0) steps.push(['trailers', trailers, true])
  for (const [what, size, isLast] of steps) {
    stream.isPaused = false
    const action = instance.call(`proxy_on_${side}_${what}`, stream.id, size, isLast ? 1 : 0)
    if (stream.localResponse !== answered) return false
    if (action !== undefined && action !== ACTION_CONTINUE) stream.isPaused = true
  }
  return !stream.isPaused
}
