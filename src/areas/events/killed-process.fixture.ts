import { publishingEvents } from '#areas/publishing/declarations.ts'
import { change, systemActor } from '#kernel/change.ts'
import { systemClock } from '#kernel/clock.ts'
import { newKeyring, readKeyring } from '#kernel/secrets/keyring.ts'
import { openPatientDatabase } from '../../../tests/support/database/patient-database.ts'
import { elsewhere } from '../../../tests/support/files.ts'
import { emit } from './event.ts'
import { planted } from './reaction.fixture.ts'
import { openReactions } from './reaction.ts'

/** A process that makes one change and then idles: the tests kill it. */
const [, , url = '', account = '', name = ''] = process.argv
const { react } = openReactions(planted())
const database = openPatientDatabase({ url, connections: 1 })
const installation = { ...elsewhere, database, listener: undefined, keyring: readKeyring(newKeyring()), react }
await change(installation, systemActor(account, systemClock.now()), (context) =>
  emit(context, publishingEvents.newCampaign, { scopes: [], data: { Name: name } }),
)
process.stdout.write('committed\n')
setInterval(() => {}, 60_000)
