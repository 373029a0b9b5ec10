/** Reads a payload whose sender, server or viewer, is not known. */
import { MessagePackReader } from '../../../wire/messagepack.ts'
import { MessagePackScanner } from '../../../wire/messagepack-scan.ts'
import { type Packet, SETTINGS_FIELDS, type Settings, SNAPSHOT_FIELDS } from '../spec.ts'
import { findFields, MISSING } from './fields.ts'
import { type PacketOptions, packetError, readPacket } from './packet.ts'
import { decodeSettings } from './settings.ts'

export type Message = Settings | Packet

/**
 * Settings when the payload is a struct with `sampling_interval`, or one whose only value by index
 * is no map (an Info's is); a packet otherwise.
 * @throws {DecodeError} with a code of the side that the shape speaks for
 */
export function decodeAny(payload: Uint8Array, options: PacketOptions = {}): Message {
  const scanner = new MessagePackScanner()
  const verdict = scanner.scan(payload, 0, payload.length, payload.length)
  if (verdict !== 'complete') {
    throw packetError('bad_msgpack', scanner.size, `message is ${verdict}`)
  }
  const reader = new MessagePackReader(payload)
  return looksLikeSettings(reader) ? decodeSettings(payload) : readPacket(reader, !!options.strict)
}

function looksLikeSettings(reader: MessagePackReader): boolean {
  const at = findFields(reader, 0, SETTINGS_FIELDS)?.[0]
  if (at === undefined || at === MISSING || reader.family(at) === 'map') return false
  // By index, field 0 may also be a snapshot's t: then there is a field 1.
  const snapshot = findFields(reader, 0, SNAPSHOT_FIELDS)
  return snapshot === undefined || snapshot[1] === MISSING
}
