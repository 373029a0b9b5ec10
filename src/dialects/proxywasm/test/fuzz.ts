/** Decoders of dialect proxywasm: documents of metrics, modules, and what filters call. */
import type { FuzzTarget } from '../../../../test/fuzz/target.ts'
import { calls } from './fuzz/calls.ts'
import { documents } from './fuzz/documents.ts'
import { modules } from './fuzz/modules.ts'

export const targets: readonly FuzzTarget[] = [documents, modules, calls]
