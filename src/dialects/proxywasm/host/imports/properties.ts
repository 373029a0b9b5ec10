/** Properties: a path of segments joined by NUL names what a filter wants to know of its place. */
import { STATUS } from '../abi.ts'
import type { FilterVm, HostCalls } from '../instance/vm.ts'
import { BUFFER_BYTES } from '../options.ts'
import { bytesOf, type FilterStream } from '../stream/stream.ts'

/** A path is a few words. */
const PATH_BYTES = 4_096

export const PROPERTY_CALLS: HostCalls = {
  proxy_get_property(
    vm: FilterVm,
    pathAt: number,
    pathSize: number,
    addressAt: number,
    sizeAt: number,
  ): number {
    if (!vm.memory.has(pathAt, pathSize)) return vm.badPointer()
    if (pathSize >>> 0 > PATH_BYTES) return STATUS.notFound
    const value = propertyOf(vm, pathOf(vm.memory.text(pathAt, pathSize)))
    return value === undefined ? STATUS.notFound : vm.give(value, addressAt, sizeAt)
  },

  /** Sets a property, seen by the same stream only; a root context has none of its own. */
  proxy_set_property(
    vm: FilterVm,
    pathAt: number,
    pathSize: number,
    valueAt: number,
    valueSize: number,
  ): number {
    const { memory, stream } = vm
    if (!memory.has(pathAt, pathSize) || !memory.has(valueAt, valueSize)) return vm.badPointer()
    const isTooLong = pathSize >>> 0 > PATH_BYTES || valueSize >>> 0 > BUFFER_BYTES
    if (stream === undefined || isTooLong) return STATUS.badArgument
    const value = memory.view(valueAt, valueSize).slice()
    const isSet = stream.setProperty(pathOf(memory.text(pathAt, pathSize)), value)
    return isSet ? STATUS.ok : STATUS.badArgument
  },
}

/** Reads a path; some SDKs end it with a NUL, too. */
function pathOf(text: string): string {
  return text.replace(/\0$/, '').replaceAll('\0', '.')
}

function propertyOf(vm: FilterVm, path: string): Uint8Array | undefined {
  const set = vm.stream?.properties.get(path)
  if (set !== undefined) return set
  const { options } = vm
  switch (path) {
    case 'plugin_root_id':
      return bytesOf(options.rootId ?? options.name)
    case 'plugin_name':
      return bytesOf(options.name)
    case 'plugin_vm_id':
      return bytesOf(options.vmId)
  }
  const given = options.properties
  if (given !== undefined && Object.hasOwn(given, path)) return bytesOf(given[path])
  return vm.stream === undefined ? undefined : streamValue(vm.stream, path)
}

/** Attributes of the request and response by the names Envoy gives them; numbers are u64. */
function streamValue(stream: FilterStream, path: string): Uint8Array | undefined {
  const [side, attribute = '', ...rest] = path.split('.')
  if (side !== 'request' && side !== 'response') return undefined
  const headers = stream.maps[`${side}Headers`]
  if (attribute === 'headers') return textValue(headers.get(rest.join('.')))
  if (attribute === 'size') return wordOf(stream.bodies[side].length)
  if (side === 'response') return attribute === 'code' ? wordOf(stream.status) : undefined
  const name = REQUEST_HEADERS.get(attribute)
  return name === undefined ? undefined : textValue(headers.get(name))
}

const REQUEST_HEADERS: ReadonlyMap<string, string> = new Map([
  ['method', ':method'],
  ['path', ':path'],
  ['host', ':authority'],
  ['scheme', ':scheme'],
  ['useragent', 'user-agent'],
  ['referer', 'referer'],
  ['id', 'x-request-id'],
])

function textValue(text: string | undefined): Uint8Array | undefined {
  return text === undefined ? undefined : bytesOf(text)
}

function wordOf(value: number): Uint8Array {
  return new Uint8Array(new BigUint64Array([BigInt(value)]).buffer)
}
