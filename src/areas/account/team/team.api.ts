import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { choice, datetime, integer, shape, text } from '#kernel/wire/fields.ts'
import { everything, listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list } from '#kernel/wire/replies.ts'
import { accountIds, scopeIds } from '../declarations.ts'
import * as teams from './team.ts'
import * as entities from './team-entity.ts'

const Team = shape('Team', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  Name: text,
})

const RestrictedEntity = shape('RestrictedEntity', { EntityId: text, Name: text, Created: datetime })

const TeamWithCounts = shape('TeamWithCounts', {
  Id: text,
  Created: datetime,
  Name: text,
  Users: integer,
  Campaigns: integer,
  Workflows: integer,
  Boards: integer,
})
const TeamEntity = shape('TeamEntity', { Id: text, Kind: choice(teams.entityKinds), Name: text })

/** Columns of the row. */
const draft = z.object({
  name: params.line(),
})
const changes = draft.extend({ id: params.pathId(accountIds.team) })

const id = z.object({ id: params.pathId(accountIds.team) })
const entityId = z.object({
  entityId: params.pathId(accountIds.user, scopeIds.campaign, scopeIds.workflow, scopeIds.board),
})
const assignment = entityId.extend({ teamIds: params.idList(accountIds.team) })

export const endpoints = [
  endpoint('GET /team/{id}', {
    summary: 'Get a team',
    needs: 'read',
    params: id,
    reply: item('Team', Team),
    run: teams.get,
  }),
  endpoint('GET /team', {
    summary: 'List teams',
    needs: 'read',
    params: listParams({}, { count: everything, order: sortBy({ created: 'date', name: 'text' }, 'created,0') }),
    reply: list(Team),
    run: teams.search,
  }),
  endpoint('POST /team', {
    summary: 'Create a team',
    needs: 'administer',
    params: draft,
    reply: item('Team', Team),
    run: teams.create,
  }),
  endpoint('POST /team/{id}', {
    summary: 'Rename a team',
    needs: 'administer',
    params: changes,
    reply: item('Team', Team),
    run: teams.update,
  }),
  endpoint('DELETE /team/{id}', {
    summary: 'Delete a team and all its assignments',
    needs: 'administer',
    params: id,
    reply: done,
    run: teams.remove,
  }),
  endpoint('GET /team-entity/{entityId}', {
    operationId: 'listEntityTeams',
    summary: 'List the teams of a user, campaign, workflow or board',
    needs: 'read',
    params: entityId,
    reply: list(Team),
    run: entities.teamsOf,
  }),
  endpoint('POST /team-entity/{entityId}', {
    operationId: 'assignEntityTeams',
    summary: 'Assign teams to a user, campaign, workflow or board',
    needs: 'administer',
    params: assignment,
    reply: done,
    run: entities.assign,
  }),
  endpoint('DELETE /team-entity/{entityId}', {
    operationId: 'unassignEntityTeams',
    summary: 'Remove teams from a user, campaign, workflow or board',
    needs: 'administer',
    params: assignment,
    reply: done,
    run: entities.unassign,
  }),
]

export const appEndpoints = [
  appEndpoint('GET /team', {
    summary: 'List all teams by name with the number of their users and entities',
    needs: 'read',
    params: z.object({}),
    reply: list(TeamWithCounts),
    run: teams.list,
  }),
  appEndpoint('GET /team/{id}/entity', {
    summary: 'List the users, campaigns, workflows and boards of a team',
    needs: 'read',
    params: id,
    reply: list(TeamEntity),
    run: teams.ofTeam,
  }),
  appEndpoint('GET /restricted-entity', {
    summary: 'List entities that are restricted to admins since their last team was deleted',
    needs: 'read',
    params: listParams({}, { count: upTo(100, 25), order: sortBy({ created: 'date' }, 'created,0') }),
    reply: list(RestrictedEntity),
    run: entities.search,
  }),
  appEndpoint('DELETE /restricted-entity/{entityId}', {
    summary: 'Make an entity visible to everyone that is restricted since its last team was deleted',
    needs: 'administer',
    params: z.object({ entityId: params.pathId(scopeIds.campaign, scopeIds.workflow, scopeIds.board) }),
    reply: done,
    run: entities.open,
  }),
]
