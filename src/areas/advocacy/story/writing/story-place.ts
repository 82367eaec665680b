import { visible as visibleWorkflows } from '#areas/approval/workflow/workflow.ts'
import { visible as visibleCampaigns } from '#areas/publishing/campaign/campaign.ts'
import type { Context } from '#kernel/context.ts'
import { conflict, invalid } from '#kernel/errors.ts'
import { type BoardRow, visibleBoards } from '../../board/board-row.ts'

/** The board that a parameter names, or the oldest one that takes stories; refuses one that takes none. */
export async function boardFor(context: Context, boardId = ''): Promise<BoardRow> {
  const boards = visibleBoards(context).selectAll()
  if (boardId === '') {
    const [oldest] = await boards
      .where('status', '=', 'active')
      .where('kind', '=', 'stories')
      .orderBy('created')
      .orderBy('id')
      .limit(1)
      .execute()
    if (!oldest) throw invalid('There is no board in use that takes stories. Make one, or name another with boardId.')
    return oldest
  }
  const board = await boards.where('id', '=', boardId).executeTakeFirst()
  if (!board) throw invalid(`boardId names no board: "${boardId.slice(0, 40)}".`)
  if (board.status === 'archived') throw conflict(`The board "${board.name}" is archived: make it active again first.`)
  if (board.kind === 'messages')
    throw invalid(`The board "${board.name}" takes messages, not stories: use POST /board-message.`)
  return board
}

/** The campaign that a parameter names; refuses one in which nothing is published any more. */
export async function requireOpenCampaign(context: Context, campaignId: string) {
  const campaign = await visibleCampaigns(context).where('id', '=', campaignId).executeTakeFirst()
  if (!campaign) throw invalid(`campaignId names no campaign: "${campaignId.slice(0, 40)}".`)
  if (campaign.status === 'archived')
    throw conflict(`The campaign "${campaign.name}" is archived: make it active again first.`)
}

/** Refuses a workflow to which nothing can be sent, before anything is begun that ends there. */
export async function requireWorkflow(context: Context, workflowId: string) {
  const workflow = await visibleWorkflows(context).where('id', '=', workflowId).executeTakeFirst()
  if (!workflow) throw invalid(`workflowId names no workflow: "${workflowId.slice(0, 40)}".`)
  if (workflow.status === 'inactive')
    throw conflict(`The workflow "${workflow.name}" is not in use. Choose another one.`)
}
