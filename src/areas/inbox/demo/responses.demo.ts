import { contributor, daysFrom, demoId, owner, publisher } from '#areas/account/account.demo.ts'
import type { Context } from '#kernel/context.ts'

const responses = [
  [
    'shared',
    owner,
    'Where is my parcel',
    'Thank you for asking. Could you send us the order number in a message? We will look at once where it is.',
  ],
  [
    'shared',
    owner,
    'Returns',
    'You can send anything back within 60 days. The form is in your account under Orders; we pay the postage.',
  ],
  [
    'shared',
    publisher,
    'Repairs',
    'We mend what we sell, and often what others sold. Tell us what broke, with a photo if you can.',
  ],
  ['shared', publisher, 'Gracias', '¡Gracias por contárnoslo! Se lo pasamos al equipo, que se alegrará mucho.'],
  ['shared', owner, 'Danke', 'Vielen Dank für die Nachricht! Wir melden uns noch heute mit einer Antwort.'],
  ['private', publisher, 'My sign-off', 'All the best from the repair bench, Pablo'],
  [
    'private',
    contributor,
    'Reuse of clips',
    'You are welcome to use the clip if you name us and link to the whole film. Have fun with it!',
  ],
] as const

const views = [
  [owner, true, 'Complaints', { statuses: ['open'], tagIds: [demoId('etg', 2)] }],
  [publisher, true, 'Messages in Spanish-speaking hours', { statuses: ['open'], types: ['Conversation'] }],
  [publisher, false, 'Parcels', { q: 'parcel' }],
] as const

/** Shared and private canned responses, and saved views. */
export async function seedResponses(context: Context) {
  const { db, accountId } = context
  const at = daysFrom(context)
  await db
    .insertInto('cannedResponses')
    .values(
      responses.map(([visibility, createdBy, name, content], index) => ({
        accountId,
        id: demoId('cnr', index + 1),
        created: at(index - 40),
        modified: at(index - 40),
        createdBy,
        name,
        content,
        visibility,
      })),
    )
    .execute()
  await db
    .insertInto('inboxViews')
    .values(
      views.map(([createdBy, isShared, name, filters], index) => ({
        accountId,
        id: demoId('0iv', index + 1),
        created: at(index - 30),
        modified: at(index - 30),
        createdBy,
        isShared,
        name,
        position: index,
        filters: JSON.stringify(filters),
      })),
    )
    .execute()
}
