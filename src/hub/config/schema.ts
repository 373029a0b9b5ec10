/** Options as a schema that checks what a file, a program or the command line gives. */
import { z } from 'zod'
import type {
  ListOption,
  Option,
  OptionSpec,
  SectionOption,
  TextOption,
} from '../../dialects/options.ts'

/** Makes the schema of a spec: unknown names are refused, defaults filled in. */
export function schemaOf(spec: OptionSpec): z.ZodType {
  return z.strictObject(
    Object.fromEntries(Object.entries(spec).map(([name, option]) => [name, optional(option)])),
  )
}

/** Makes a schema of an option that may be left out, or must not be. */
function optional(option: Option): z.ZodType {
  if (option.kind === 'section') {
    const own = schemaOfOption(option)
    return option.isRequired ? own : own.prefault({})
  }
  const described = schemaOfOption(option).describe(option.description)
  if (option.kind === 'text' && option.isRequired) return described
  return option.default === undefined ? described.optional() : described.default(option.default)
}

function schemaOfOption(option: Option): z.ZodType {
  switch (option.kind) {
    case 'integer':
      return z
        .int()
        .min(option.min)
        .max(option.max ?? Number.MAX_SAFE_INTEGER)
    case 'number':
      return z.number().min(option.min).max(option.max)
    case 'boolean':
      return z.boolean()
    case 'text':
      return textSchema(option)
    case 'choice':
      return z.literal([...option.choices])
    case 'auto': {
      const { min, max } = option
      const error = `want auto, or a whole number of ${min} to ${max}`
      return z.union([z.literal('auto'), z.int().min(min).max(max)], { error })
    }
    case 'list':
      return listSchema(option)
    case 'map':
      return z.record(
        option.keys === undefined ? z.string() : z.string().regex(option.keys),
        schemaOfOption(option.item),
      )
    case 'section':
      return sectionSchema(option)
  }
}

function textSchema({ lengthMin = 0, lengthMax, check }: TextOption): z.ZodType {
  const text = z.string().min(lengthMin)
  const bounded = lengthMax === undefined ? text : text.max(lengthMax)
  return bounded.superRefine((value, context) => addIssue(context, [], check?.(value)))
}

function listSchema({ item, check }: ListOption): z.ZodType {
  return z
    .array(schemaOfOption(item))
    .superRefine((value, context) => addIssue(context, [], check?.(value)))
}

function sectionSchema({ options, check }: SectionOption): z.ZodType {
  return schemaOf(options).superRefine((value, context) => {
    const problem = check?.(value)
    if (problem !== undefined) addIssue(context, [problem.option], problem.wanted)
  })
}

function addIssue(context: z.RefinementCtx, path: string[], message: string | undefined): void {
  if (message !== undefined) context.addIssue({ code: 'custom', path, message })
}
