import { emitAllInner, type InnerEvents } from '#areas/events/event.ts'
import { change, systemActor } from '#kernel/change.ts'
import { systemClock } from '#kernel/clock.ts'
import { openOutbound } from '#kernel/outbound/outbound.ts'
import { newKeyring, readKeyring } from '#kernel/secrets/keyring.ts'
import { react } from '#main/registry.ts'
import { openPatientDatabase } from '../../../../tests/support/database/patient-database.ts'
import { elsewhere } from '../../../../tests/support/files.ts'
import { demoAccount } from '../../../../tests/support/service.ts'

type IncomingActivity = InnerEvents['inboxEntryArrived']

let numbered = 0

/** Publishes incoming activities as the inbox does. */
export function incomingActivities(url: string) {
  const database = openPatientDatabase({ url, connections: 8 })
  const outbound = openOutbound({ allow: [] })
  const installation = {
    database,
    listener: undefined,
    keyring: readKeyring(newKeyring()),
    outbound,
    ...elsewhere,
    react,
  }
  const happening = (given: Partial<IncomingActivity>): IncomingActivity => ({
    itemId: 'eittest00000001',
    entryId: `eat${String(numbered++).padStart(12, '0')}`,
    kind: 'comment',
    network: 'LinkedIn',
    credentialId: '003-1-2414183',
    personId: `person-${numbered}`,
    personName: 'Robin Field',
    personUsername: `robin-${numbered}`,
    personPicture: '',
    text: '',
    postlogId: '',
    at: systemClock.now().toISOString(),
    ...given,
  })
  return {
    happening,
    /** All in one transaction. */
    arrive: (...given: Partial<IncomingActivity>[]) =>
      change(installation, systemActor(demoAccount, systemClock.now()), (context) =>
        emitAllInner(context, 'inboxEntryArrived', given.map(happening)),
      ),
    close: () => database.close(),
  }
}
