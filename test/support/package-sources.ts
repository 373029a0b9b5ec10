/**
 * `node --import` of this file makes `pentameter` and `pentameter/NAME` the sources behind these
 * exports of package.json, so that examples and documents run without a build.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const ROOT = new URL('../../', import.meta.url)
const { exports } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as {
  exports: Readonly<Record<string, { readonly default: string } | null>>
}

registerHooks({
  resolve(specifier, context, next) {
    const [name, ...path] = specifier.split('/')
    if (name !== 'pentameter') return next(specifier, context)
    const [first = '', ...rest] = path
    // What has no line of its own is a dialect, by the patterns `./*` and `./*/spec`.
    const target = exports[['.', ...path].join('/')] ?? exports[['./*', ...rest].join('/')]
    if (target == null) throw new Error(`package.json exports no ${specifier}`)
    const built = target.default.replace('*', first)
    const source = built.replace('/dist/', '/src/').replace(/\.js$/, '.ts')
    return next(new URL(source, ROOT).href, context)
  },
})
