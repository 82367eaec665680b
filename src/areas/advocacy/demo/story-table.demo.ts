import { contributor, demoId, owner, publisher } from '#areas/account/account.demo.ts'
import { demoBoards, demoTopics } from './boards.demo.ts'

/** Status of a demo story and how it was created. */
type Kind = 'published' | 'scheduled' | 'expired' | 'draft' | 'pending' | 'rejected' | 'approved' | 'repost'

export interface DemoStory {
  id: string
  kind: Kind
  boardId: string
  /** Number of the campaign with its link and messages. */
  campaign: number
  createdBy: string
  title: string
  description: string
  isFeatured: boolean
  /** Days relative to the first start. */
  from: number
  to: number
  topicId: string | undefined
  mediaId: string | undefined
}

const rows: readonly [kind: Kind, campaign: number, title: string, description: string][] = [
  [
    'published',
    1,
    'Lighter packs for longer days',
    'The spring range is here. Every pack lost weight. None lost a pocket.',
  ],
  [
    'published',
    2,
    'Noor walks the coast path',
    'Ninety kilometres in five days. One pair of boots. A story for every cliff.',
  ],
  [
    'published',
    3,
    'A torn strap is no reason',
    'Our workshop mends what others replace. It takes a week. It lasts for years.',
  ],
  [
    'published',
    4,
    'One weekend, forty tents',
    'The summer meet-up has no signal and no programme. Bring a tent. Bring a friend.',
  ],
  ['published', 5, 'We would rather test a tent', 'Product testers wanted: people who sleep outside on purpose.'],
  ['published', 6, 'Nine nights, two storms', 'The field test in numbers. The tent stood. The testers slept.'],
  [
    'published',
    7,
    'Seven habits for clean camps',
    'What you carry in, you carry out. The rest of the list is as short.',
  ],
  ['published', 1, 'Made with fewer seams', 'A seam is where rain comes in. So there are three fewer of them.'],
  ['published', 2, 'A map, drawn by hand', 'Imre has drawn our maps since 1998. This is his desk.'],
  ['published', 3, 'Spare parts for everything', 'Buckles, poles and zips for each pack since 2004 are on the shelf.'],
  ['published', 4, 'Who cooks at the meet-up', 'Three stoves, eleven recipes, one queue.'],
  ['published', 5, 'First week in the workshop', 'Lena learned to sew on canvas. She tells how it went.'],
  ['published', 6, 'Rain, at the push of a button', 'The rain room in our cellar makes ten storms a day.'],
  ['published', 7, 'Fires we did not light', 'A stove leaves no ring of stones. Here is how we cook.'],
  ['scheduled', 1, 'The blue one is back', 'You asked for it for three years. It comes back on Monday.'],
  ['scheduled', 2, 'Winter on the ridge', 'Part two of the coast walk has no coast.'],
  ['scheduled', 4, 'Tickets for the meet-up', 'Forty tents, and no more. First come, first pitched.'],
  ['scheduled', 5, 'Apprentices for September', 'Two places in the workshop, one in the map room.'],
  ['scheduled', 6, 'Boots after 1,000 kilometres', 'We cut them open to see what held.'],
  ['expired', 1, 'Last of the autumn range', 'What is left is on the last rack.'],
  ['expired', 2, 'Walk with us on Sunday', 'A short one, and there was soup.'],
  ['expired', 3, 'Mending day in spring', 'Bring what is broken. We brought thread.'],
  ['expired', 6, 'Vote for the test route', 'Three valleys were on the list.'],
  ['expired', 7, 'Clean-up by the lake', 'Eighty people, two boats, one very old tyre.'],
  ['draft', 1, 'Colours for next year', 'Not to be told before the fair.'],
  ['draft', 3, 'What a zip can tell', 'A note from the workshop, to be finished.'],
  ['draft', 5, 'Why we interview outside', 'Still needs a picture.'],
  ['draft', 7, 'Ten years without plastic bags', 'The numbers are being checked.'],
  ['pending', 1, 'The lightest of them all', 'Legal looks at the word “lightest”.'],
  ['pending', 4, 'A band at the meet-up', 'If they say yes.'],
  ['pending', 6, 'Our tent against theirs', 'A comparison that somebody has to approve.'],
  ['rejected', 5, 'We pay more than others', 'Nobody could say by how much.'],
  ['rejected', 2, 'The secret trail', 'It would not be secret any longer.'],
  ['approved', 3, 'The workshop has moved', 'Two doors down, with a bigger window.'],
  ['approved', 7, 'Our report on footprints', 'Forty pages, with a page of what went wrong.'],
  ['repost', 1, '', ''],
  ['repost', 2, '', ''],
  ['repost', 6, '', ''],
  ['published', 1, 'Thank you, summer crew', 'A board that has served its time.'],
  ['expired', 2, 'The summer in pictures', 'Forty of them, one for each tent.'],
]

const people = [owner, publisher, contributor]
/** The last two are on the archived board. */
const onArchived = rows.length - 2
const boardIds = [demoBoards.withTopics, demoBoards.withTopics, demoBoards.withoutTopics, demoBoards.nearlyFull]

/** Forty stories, always the same. */
export const demoStories: readonly DemoStory[] = rows.map(([kind, campaign, title, description], index) => {
  const boardId = index >= onArchived ? demoBoards.archived : (boardIds[index % boardIds.length] as string)
  const [from, to] = daysOf(kind, index)
  return {
    id: demoId('0AS', index + 1),
    kind,
    boardId,
    campaign,
    title,
    description,
    from,
    to,
    createdBy: kind === 'pending' || kind === 'rejected' ? contributor : (people[index % people.length] as string),
    isFeatured: index % 9 === 0,
    topicId: boardId === demoBoards.withTopics ? demoTopics[index % demoTopics.length]?.id : undefined,
    mediaId: index % 4 === 1 ? demoId('026', 1 + (index % 2)) : undefined,
  }
})

/** Never today: no story changes its phase while the demo or a test runs. */
function daysOf(kind: Kind, index: number): [from: number, to: number] {
  if (kind === 'scheduled') return [2 + (index % 9), 182]
  if (kind === 'expired') return [-150 - index, -2 - (index % 20)]
  return [-1 - (index % 25), 120 + index]
}
