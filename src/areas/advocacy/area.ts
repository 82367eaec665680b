import { hour, minute } from '#kernel/clock.ts'
import { defineArea } from '../area.ts'
import { withSamples } from '../events/event-type.ts'
import { after, inside, on } from '../events/reaction.ts'
import { createLinkMaker } from '../publishing/post/post-content.ts'
import { seedAdvocacy } from './advocacy.demo.ts'
import { advocacySamples } from './advocacy.events.ts'
import { appEndpoints as advocateApp, endpoints as advocates } from './advocate/advocate.api.ts'
import { rankAdvocatesJob } from './advocate/leaderboard.ts'
import { accept, leaveAll } from './advocate/membership.ts'
import { appEndpoints as boardApp, endpoints as boards } from './board/board.api.ts'
import { watchedBoards } from './board/board-row.ts'
import { sendDigestsJob, writeDigestJob } from './board/digest.ts'
import { watchedTopics } from './board/topic.ts'
import { unsubscribePages } from './board/unsubscribe.page.ts'
import { advocacyChanges, advocacyEvents, advocacyIds, advocacyQuotas } from './declarations.ts'
import { entryLinkJob } from './invitation/board-entry.ts'
import { appEndpoints as invitationApp, endpoints as invitations } from './invitation/invitation.api.ts'
import { invitationPages } from './invitation/invitation.page.ts'
import { boardInvitationJob } from './invitation/send-invitation.job.ts'
import { forgetSignUpsJob, seatOlderSignUps, signUpJob } from './invitation/sign-up.ts'
import { signUpsPersonalData } from './invitation/sign-up-row.ts'
import { leaveProfileShares } from './share/own-profile.ts'
import { endpoints as shares } from './share/share.api.ts'
import { shareSendable } from './share/share.sendable.ts'
import { shareRecount } from './share/share-end.ts'
import { prepareStoryJob } from './story/prepare-story.job.ts'
import { endpoints as stories } from './story/story.api.ts'
import { storyApprovable } from './story/story.approvable.ts'
import { turnStoriesJob, watchedStories } from './story/story.ts'
import { followMessageName, messageChanged, protectStories } from './story/story-status.ts'

/** Boards with stories and topics, the advocates on them, and sharing. */
export const advocacy = defineArea({
  name: 'advocacy',
  dependsOn: ['account', 'approval', 'events', 'counters', 'links', 'media', 'profiles', 'publishing', 'sending'],
  ids: advocacyIds,
  quotas: advocacyQuotas,
  changes: advocacyChanges,
  events: withSamples(advocacyEvents, advocacySamples),
  tables: [
    'boardMembers',
    'boardMessages',
    'boardRankings',
    'boardRanks',
    'boardSignUps',
    'boardSlugs',
    'boards',
    'digestEmails',
    'shares',
    'stories',
    'storyCounts',
    'storyMedia',
    'storyMessages',
    'storyOffers',
    'storyTopics',
    'topicSubscriptions',
    'topics',
  ],
  locks: {
    boards: 'teams',
    boardMembers: 'boards',
    stories: 'media',
    storyMessages: 'stories',
    shares: 'posts',
    topics: 'exports',
  },
  tags: [
    {
      name: 'Boards',
      description: 'Advocacy boards, their topics, and sharing on them.',
      of: ['board', 'boards', 'board-topic', 'board-message', 'board-share', 'board-profile'],
    },
    { name: 'Stories', description: 'Content that advocates can share.', of: ['story'] },
    { name: 'Advocates', description: 'Members of boards, and their invitations.', of: ['advocate'] },
  ],
  endpoints: [...stories, ...boards, ...advocates, ...invitations],
  appEndpoints: [...shares, ...advocateApp, ...boardApp, ...invitationApp],
  pages: ({ installation }) => [...invitationPages(installation), ...unsubscribePages(installation)],
  jobs: ({ mailer, generator }) => [
    boardInvitationJob(mailer),
    entryLinkJob(mailer),
    signUpJob(mailer),
    forgetSignUpsJob,
    rankAdvocatesJob,
    sendDigestsJob,
    writeDigestJob,
    prepareStoryJob(generator),
    turnStoriesJob,
  ],
  recurringJobs: [
    { job: rankAdvocatesJob, every: minute },
    { job: sendDigestsJob, every: minute },
    { job: forgetSignUpsJob, every: hour },
    { job: turnStoriesJob, every: 10 * minute },
  ],
  reactions: [
    on('profileDeleted', inside(leaveProfileShares)),
    on('messageChanging', inside(protectStories)),
    on('messageChanged', after(followMessageName, messageChanged)),
    on('cameByLink', inside(seatOlderSignUps)),
    on('cameByLink', inside(accept)),
    on('userDeleted', inside(leaveAll)),
  ],
  approvables: [storyApprovable],
  sendables: (installation) => [shareSendable(installation, createLinkMaker(installation))],
  recounts: [shareRecount],
  presence: [watchedBoards, watchedTopics, watchedStories],
  personalData: [signUpsPersonalData],
  demo: { after: ['links'], seed: seedAdvocacy },
})
