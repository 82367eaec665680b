import { signUpsPlace } from '#areas/advocacy/invitation/sign-up-row.ts'
import { exportFilesPlace } from '#areas/analytics/export/run/export-files.personal.ts'
import { eventsPlace } from '#areas/events/events.personal.ts'
import { inboxPlace } from '#areas/inbox/person/inbox.personal.ts'
import { conversionsPlace } from '#areas/links/conversion/conversions.personal.ts'
import { streamsPlace } from '#areas/streams/feed/streams.personal.ts'
import { deliveriesPlace } from '#areas/webhooks/deliveries.ts'
import { answersPlace } from '#kernel/http/operation/answers.personal.ts'
import { jobsPlace } from '#kernel/jobs/jobs.personal.ts'
import type { PersonalPlace } from '#kernel/person/person.ts'

/** Every place where something of people outside is kept, in the order in which it is forgotten: sources first, then what was told of them. */
export const personalPlaces: readonly PersonalPlace[] = [
  conversionsPlace,
  signUpsPlace,
  inboxPlace,
  streamsPlace,
  exportFilesPlace,
  jobsPlace,
  eventsPlace,
  deliveriesPlace,
  answersPlace,
]
