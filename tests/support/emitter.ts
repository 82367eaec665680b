import { emit } from '#areas/events/event.ts'
import { change, systemActor } from '#kernel/change.ts'
import { systemClock } from '#kernel/clock.ts'
import { openOutbound } from '#kernel/outbound/outbound.ts'
import { newKeyring, readKeyring } from '#kernel/secrets/keyring.ts'
import { registry } from '#main/registry.ts'
import { openPatientDatabase } from './database/patient-database.ts'
import { elsewhere } from './files.ts'

export interface Emitter {
  /** Emits events, each in its own transaction or all in one. */
  emit(type: string, data: readonly object[], together?: boolean): Promise<void>
  close(): Promise<void>
}

function eventType(name: string) {
  const type = registry.events.find((one) => one.name === name)
  if (!type) throw new Error(`No event type is called ${name}.`)
  return type
}

/** Emits events as the areas of the product do. */
export function openEmitter(url: string, accountId: string, clock = systemClock): Emitter {
  const database = openPatientDatabase({ url, connections: 4 })
  const outbound = openOutbound({ allow: [] })
  const installation = { database, listener: undefined, keyring: readKeyring(newKeyring()), outbound, ...elsewhere }
  const inOne = (type: string, data: readonly object[]) =>
    change(installation, systemActor(accountId, clock.now()), async (context) => {
      for (const element of data) await emit(context, eventType(type), { scopes: [], data: element })
    })
  return {
    async emit(type, data, together = false) {
      if (together) return inOne(type, data)
      for (const element of data) await inOne(type, [element])
    },
    close: () => database.close(),
  }
}
