/** A program of a user in CommonJS, with types. */
import instrument = require('pentameter/instrument')
import shm = require('pentameter/shm')

const registry: instrument.CounterRegistry = new instrument.CounterRegistry()
console.log(typeof shm.Zone.create, registry.sources.length)
