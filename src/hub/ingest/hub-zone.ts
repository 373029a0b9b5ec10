/** The zone of a hub: as large as its configuration lets it be, in memory as its guests want it. */
import { IDENTITY_BYTES_LIMIT } from '../../model/series.ts'
import { Zone } from '../../shm/index.ts'
import { dialectOptions, type HubConfig } from '../config/values.ts'
import type { HubGuest } from '../resident.ts'
import { metricsLimitOf } from './quota.ts'

export function createHubZone(config: HubConfig, guests: readonly HubGuest[]): Zone {
  const needsWasm = guests.some(({ dialect, needsWasmZone }) => {
    return needsWasmZone?.(dialectOptions(config, dialect.name)) ?? false
  })
  return Zone.create({
    zoneBytesLimit: config.zoneBytesLimit,
    metricsLimit: metricsLimitOf(config),
    keyBytesLimit: IDENTITY_BYTES_LIMIT,
    backing: needsWasm ? 'wasm' : 'sab',
  })
}
