/** Options of the filters that a hub runs: the entries of `filters` in its config. */
import { z } from 'zod'
import { LabelPatterns } from '../label-patterns.ts'
import { checkFilterName } from '../names.ts'

const labelPattern = z.strictObject({
  label: z.string().describe('key of the label'),
  pattern: z
    .string()
    .describe('regular expression: group 1 is the piece of the name, group 2 the value'),
})

export const filterOptions = z
  .strictObject({
    name: z.string().min(1).describe('of the filter: label of its metrics, answer to plugin_name'),
    path: z
      .string()
      .min(1)
      .describe('of the .wasm file, from the folder that the hub is started in'),
    host: z
      .enum(['spec', 'nginx', 'envoy'])
      .default('spec')
      .describe('whose answers to metric calls the filter gets'),
    profile: z
      .enum(['document', 'peer'])
      .default('document')
      .describe('pw.FILTER.NAME or pw:FILTER:NAME: matters to ids of host nginx'),
    configuration: z.string().default('').describe('what proxy_on_configure reads'),
    vmConfiguration: z.string().default('').describe('what proxy_on_vm_start reads'),
    rootId: z.string().optional().describe('answer to plugin_root_id; the name'),
    labelPatterns: z.array(labelPattern).default([]).describe('labels written into names'),
    unit: z.string().optional().describe('of its histograms; filters know none'),
    requestsPerSecond: z
      .number()
      .min(0)
      .max(100_000)
      .default(0)
      .describe('requests invented for it; 0 = it gets its ticks only'),
    callTimeoutMs: z
      .int()
      .min(1)
      .default(1000)
      .describe('a call that takes longer ends the filter'),
    metricsPerFilterLimit: z.int().min(1).default(10_000).describe('further ones are refused'),
    memoryPagesLimit: z.int().min(1).max(65_536).default(1024).describe('64 KiB each'),
  })
  .superRefine((options, context) => {
    for (const [path, check] of [
      ['name', () => checkFilterName(options.name, options.profile)],
      ['labelPatterns', () => new LabelPatterns(options.labelPatterns)],
    ] as const) {
      try {
        check()
      } catch (error) {
        context.addIssue({ code: 'custom', path: [path], message: (error as Error).message })
      }
    }
  })

export type FilterConfig = z.infer<typeof filterOptions>

export const filterList = z
  .array(filterOptions)
  .default([])
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, {
    error: 'want each name once',
  })
  .describe('Proxy-Wasm filters that the hub runs')
