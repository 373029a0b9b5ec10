/**
 * Loaded before a program (`node --import`): there, `pentameter/…` means the sources instead of
 * what was built from them, in worker threads too.
 */
import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'

const SRC = new URL('../../src/', import.meta.url)

registerHooks({
  resolve(specifier, context, next) {
    const [, part] = /^pentameter\/([\w-]+)$/.exec(specifier) ?? []
    if (part === undefined) return next(specifier, context)
    const places = [`${part}/index.ts`, `dialects/${part}/index.ts`].map(
      (path) => new URL(path, SRC),
    )
    return next(places.find((place) => existsSync(place))?.href ?? specifier, context)
  },
})
