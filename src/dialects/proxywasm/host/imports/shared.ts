/**
 * Imports for what the instances of a filter share (ABI, "Shared key-value store" and "Shared
 * queues"): of all threads of this filter, and of no other filter.
 */
import { STATUS } from '../abi.ts'
import type { FilterVm, HostCalls } from '../instance/vm.ts'
import { SHARED_BYTES, type SharedRefusal } from '../shared/shared-data.ts'

const STATUSES: Readonly<Record<SharedRefusal, number>> = {
  missing: STATUS.notFound,
  empty: STATUS.empty,
  cas_mismatch: STATUS.casMismatch,
  full: STATUS.internalFailure,
  busy: STATUS.internalFailure,
}

export const SHARED_CALLS: HostCalls = {
  proxy_get_shared_data(
    vm: FilterVm,
    keyAt: number,
    keySize: number,
    addressAt: number,
    sizeAt: number,
    casAt: number,
  ): number {
    const key = bytesAt(vm, keyAt, keySize)
    if (key === undefined || !vm.memory.has(casAt, 4)) return vm.badPointer()
    const found = vm.sharedData.get(key)
    if (typeof found === 'string') return refuse(vm, found)
    const status = vm.give(found.value, addressAt, sizeAt)
    // the filter’s allocator has run: its memory may be another one
    if (status === STATUS.ok && vm.memory.has(casAt, 4)) vm.memory.setU32(casAt, found.cas)
    return status
  },

  proxy_set_shared_data(
    vm: FilterVm,
    keyAt: number,
    keySize: number,
    valueAt: number,
    valueSize: number,
    cas: number,
  ): number {
    const key = bytesAt(vm, keyAt, keySize)
    const value = bytesAt(vm, valueAt, valueSize)
    if (key === undefined || value === undefined) return vm.badPointer()
    const isTooLarge = key.length + value.length > SHARED_BYTES
    return done(vm, isTooLarge ? 'full' : vm.sharedData.set(key, value, cas >>> 0))
  },

  proxy_register_shared_queue(
    vm: FilterVm,
    nameAt: number,
    nameSize: number,
    idAt: number,
  ): number {
    const name = bytesAt(vm, nameAt, nameSize)
    if (name === undefined || !vm.memory.has(idAt, 4)) return vm.badPointer()
    const id = name.length > SHARED_BYTES ? 'full' : vm.sharedData.register(name)
    if (typeof id === 'string') return refuse(vm, id)
    vm.memory.setU32(idAt, id)
    vm.listenTo(id)
    return STATUS.ok
  },

  /** Finds a queue of the same virtual machine: another one's are not to be seen. */
  proxy_resolve_shared_queue(
    vm: FilterVm,
    vmIdAt: number,
    vmIdSize: number,
    nameAt: number,
    nameSize: number,
    idAt: number,
  ): number {
    const name = bytesAt(vm, nameAt, nameSize)
    const isInside = vm.memory.has(vmIdAt, vmIdSize) && vm.memory.has(idAt, 4)
    if (name === undefined || !isInside) return vm.badPointer()
    const ownId = vm.options.vmId ?? ''
    const isOwn = vmIdSize >>> 0 <= VM_ID_BYTES && vm.memory.text(vmIdAt, vmIdSize) === ownId
    const id = isOwn ? vm.sharedData.resolve(name) : 'missing'
    if (typeof id === 'string') return refuse(vm, id)
    vm.memory.setU32(idAt, id)
    return STATUS.ok
  },

  proxy_enqueue_shared_queue(vm: FilterVm, id: number, at: number, size: number): number {
    const value = bytesAt(vm, at, size)
    if (value === undefined) return vm.badPointer()
    return done(vm, value.length > SHARED_BYTES ? 'full' : vm.sharedData.enqueue(id >>> 0, value))
  },

  proxy_dequeue_shared_queue(vm: FilterVm, id: number, addressAt: number, sizeAt: number): number {
    if (!vm.memory.has(addressAt, 4) || !vm.memory.has(sizeAt, 4)) return vm.badPointer()
    const taken = vm.sharedData.dequeue(id >>> 0)
    return typeof taken === 'string' ? refuse(vm, taken) : vm.give(taken, addressAt, sizeAt)
  },
}

/** Longest id of a virtual machine that is looked at. */
const VM_ID_BYTES = 4_096

/** Views bytes of the filter, until it runs again; undefined for an address that is a lie. */
function bytesAt({ memory }: FilterVm, at: number, size: number): Uint8Array | undefined {
  return memory.has(at, size) ? memory.view(at, size) : undefined
}

function done(vm: FilterVm, refusal: SharedRefusal | undefined): number {
  return refusal === undefined ? STATUS.ok : refuse(vm, refusal)
}

function refuse(vm: FilterVm, refusal: SharedRefusal): number {
  if (refusal === 'full' || refusal === 'busy') vm.counts.add('sharedRefused')
  return STATUSES[refusal]
}
