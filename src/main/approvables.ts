import { storyApprovable } from '#areas/advocacy/story/story.approvable.ts'
import type { Approvables } from '#areas/approval/approvable.ts'
import { messageApprovable } from '#areas/publishing/message/message.approvable.ts'
import { postApprovable } from '#areas/publishing/post/post.approvable.ts'

/** Every kind of content that can wait for approval, in the order in which people are told of them. */
export const approvables: Approvables = [postApprovable, messageApprovable, storyApprovable]
