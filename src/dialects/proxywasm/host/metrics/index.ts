/** The metric calls of a host mode. */

import type { FilterVm } from '../instance/vm.ts'
import type { MetricSpace } from '../metric-space.ts'
import { MetricCells } from './cells.ts'
import type { CrcIds } from './crc-ids.ts'
import { FilterDefinitions } from './definitions.ts'
import { EnvoyCalls } from './envoy-calls.ts'
import type { MetricCalls } from './metric-calls.ts'
import { NginxCalls } from './nginx-calls.ts'
import { SpecCalls } from './spec-calls.ts'

export function metricCalls(vm: FilterVm, space: MetricSpace, ids: CrcIds): MetricCalls {
  const definitions = new FilterDefinitions(vm, space)
  const cells = new MetricCells(space, vm.counts)
  switch (space.host) {
    case 'spec':
      return new SpecCalls(vm, definitions, cells)
    case 'nginx':
      return new NginxCalls(vm, definitions, cells, ids)
    case 'envoy':
      return new EnvoyCalls(vm, definitions, cells)
  }
}
