/**
 * `node --import` of this file makes `pentameter/NAME` the sources behind that export of
 * package.json, so that examples and documents run without a build.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const ROOT = new URL('../../', import.meta.url)
const { exports } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as {
  exports: Readonly<Record<string, { readonly default: string }>>
}

registerHooks({
  resolve(specifier, context, next) {
    const [name, ...path] = specifier.split('/')
    if (name !== 'pentameter') return next(specifier, context)
    const target = exports[`./${path.join('/')}`]
    if (target === undefined) throw new Error(`package.json exports no ${specifier}`)
    const source = target.default.replace('/dist/', '/src/').replace(/\.js$/, '.ts')
    return next(new URL(source, ROOT).href, context)
  },
})
