/** Imports for header maps and buffers: what passes through the filter, and its configuration. */
import { BUFFER, HEADER_MAPS, STATUS } from '../abi.ts'
import type { FilterVm, HostCalls } from '../instance/vm.ts'
import { BUFFER_BYTES } from '../options.ts'
import { type HeaderMap, parsePairs } from '../stream/header-map.ts'
import { bytesOf } from '../stream/stream.ts'

export const MESSAGE_CALLS: HostCalls = {
  proxy_get_header_map_value(
    vm: FilterVm,
    type: number,
    nameAt: number,
    nameSize: number,
    addressAt: number,
    sizeAt: number,
  ): number {
    if (!vm.memory.has(nameAt, nameSize)) return vm.badPointer()
    const map = mapOf(vm, type)
    if (map === undefined) return STATUS.badArgument
    const value = map.get(vm.memory.text(nameAt, nameSize))
    if (value === undefined) return STATUS.notFound
    return vm.give(bytesOf(value), addressAt, sizeAt)
  },

  proxy_add_header_map_value: (vm: FilterVm, type: number, ...pair: number[]) =>
    changeMap(vm, type, pair, (map, name, value) => map.add(name, value)),

  proxy_replace_header_map_value: (vm: FilterVm, type: number, ...pair: number[]) =>
    changeMap(vm, type, pair, (map, name, value) => map.replace(name, value)),

  proxy_remove_header_map_value(
    vm: FilterVm,
    type: number,
    nameAt: number,
    nameSize: number,
  ): number {
    if (!vm.memory.has(nameAt, nameSize)) return vm.badPointer()
    const map = mapOf(vm, type)
    if (map === undefined) return STATUS.badArgument
    map.remove(vm.memory.text(nameAt, nameSize))
    return STATUS.ok
  },

  proxy_get_header_map_pairs(
    vm: FilterVm,
    type: number,
    addressAt: number,
    sizeAt: number,
  ): number {
    const map = mapOf(vm, type)
    return map === undefined ? STATUS.badArgument : vm.give(map.serialize(), addressAt, sizeAt)
  },

  proxy_set_header_map_pairs(vm: FilterVm, type: number, at: number, size: number): number {
    if (!vm.memory.has(at, size)) return vm.badPointer()
    const map = mapOf(vm, type)
    if (map === undefined || size >>> 0 > BUFFER_BYTES) return STATUS.badArgument
    const pairs = parsePairs(vm.memory.view(at, size))
    return pairs !== undefined && map.set(pairs) ? STATUS.ok : STATUS.badArgument
  },

  proxy_get_header_map_size(vm: FilterVm, type: number, sizeAt: number): number {
    if (!vm.memory.has(sizeAt, 4)) return vm.badPointer()
    const map = mapOf(vm, type)
    if (map === undefined) return STATUS.badArgument
    vm.memory.setU32(sizeAt, map.serialize().length)
    return STATUS.ok
  },

  /** Copies a range of a buffer; one that passes its end is cut there. */
  proxy_get_buffer_bytes(
    vm: FilterVm,
    type: number,
    start: number,
    length: number,
    addressAt: number,
    sizeAt: number,
  ): number {
    const buffer = bufferOf(vm, type)
    if (buffer === undefined) return STATUS.notFound
    const from = start >>> 0
    return vm.give(buffer.subarray(from, from + (length >>> 0)), addressAt, sizeAt)
  },

  proxy_get_buffer_status(vm: FilterVm, type: number, lengthAt: number, flagsAt: number): number {
    const { memory } = vm
    if (!memory.has(lengthAt, 4) || !memory.has(flagsAt, 4)) return vm.badPointer()
    const buffer = bufferOf(vm, type)
    if (buffer === undefined) return STATUS.notFound
    memory.setU32(lengthAt, buffer.length)
    memory.setU32(flagsAt, 0)
    return STATUS.ok
  },

  proxy_set_buffer_bytes: setBufferBytes,
}

function mapOf(vm: FilterVm, type: number): HeaderMap | undefined {
  const name = HEADER_MAPS[type]
  return name === undefined ? undefined : vm.stream?.maps[name]
}

function changeMap(
  vm: FilterVm,
  type: number,
  [nameAt = 0, nameSize = 0, valueAt = 0, valueSize = 0]: number[],
  change: (map: HeaderMap, name: string, value: string) => boolean,
): number {
  const { memory } = vm
  if (!memory.has(nameAt, nameSize) || !memory.has(valueAt, valueSize)) return vm.badPointer()
  const map = mapOf(vm, type)
  if (map === undefined || (nameSize >>> 0) + (valueSize >>> 0) > BUFFER_BYTES) {
    return STATUS.badArgument
  }
  const isChanged = change(map, memory.text(nameAt, nameSize), memory.text(valueAt, valueSize))
  return isChanged ? STATUS.ok : STATUS.badArgument
}

function bufferOf(vm: FilterVm, type: number): Uint8Array | undefined {
  switch (type) {
    case BUFFER.requestBody:
      return vm.stream?.bodies.request
    case BUFFER.responseBody:
      return vm.stream?.bodies.response
    case BUFFER.vmConfiguration:
      return bytesOf(vm.options.vmConfiguration)
    case BUFFER.pluginConfiguration:
      return bytesOf(vm.options.configuration)
    default:
      return undefined
  }
}

/** Puts bytes in the place of a range: of none at 0 before all, of one past the end behind all. */
function setBufferBytes(
  vm: FilterVm,
  type: number,
  start: number,
  length: number,
  at: number,
  size: number,
): number {
  if (!vm.memory.has(at, size)) return vm.badPointer()
  const side = type === BUFFER.requestBody ? 'request' : 'response'
  const isBody = type === BUFFER.requestBody || type === BUFFER.responseBody
  if (!isBody || vm.stream === undefined) return STATUS.notFound
  const old = vm.stream.bodies[side]
  const from = Math.min(start >>> 0, old.length)
  const to = Math.min(from + (length >>> 0), old.length)
  const grown = old.length - (to - from) + (size >>> 0)
  if (grown > BUFFER_BYTES) return STATUS.badArgument
  const changed = new Uint8Array(grown)
  changed.set(old.subarray(0, from))
  changed.set(vm.memory.view(at, size), from)
  changed.set(old.subarray(to), from + (size >>> 0))
  vm.stream.bodies[side] = changed
  return STATUS.ok
}
