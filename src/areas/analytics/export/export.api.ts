import { z } from 'zod'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { integer, listOf } from '#kernel/wire/fields.ts'
import { listParams, oneOf, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list, parts } from '#kernel/wire/replies.ts'
import { analyticsIds } from '../declarations.ts'
import * as exports from './export.ts'
import {
  Export,
  ExportRun,
  exportChanges,
  exportDraft,
  exportStatuses,
  ListedExport,
  OwnExport,
} from './export-shape.ts'
import * as runs from './run/run.ts'

const id = z.object({ id: params.pathId(analyticsIds.export) })
const order = sortBy({ type: 'text', status: 'text', dest: 'text', last: 'date', freq: 'text' }, 'status,1')
const status = params.word(exportStatuses).optional()

export const endpoints = [
  endpoint('GET /bi-export', {
    summary: 'List exports',
    needs: 'read',
    params: listParams({ status }, { count: oneOf(25, 50, 100), order }),
    reply: parts({ Exports: listOf(ListedExport), Total: integer }),
    run: exports.search,
  }),
  endpoint('GET /bi-export/{id}', {
    summary: 'Get an export; for admins with a URL of its last file that is valid for a day',
    needs: 'read',
    params: id,
    reply: item('Export', Export),
    run: exports.get,
  }),
]

export const appEndpoints = [
  appEndpoint('GET /exports', {
    summary: 'List exports with all their settings',
    needs: 'administer',
    params: listParams({ status }, { count: oneOf(25, 50, 100), order }),
    reply: list(OwnExport),
    run: exports.searchOwn,
  }),
  appEndpoint('POST /exports', {
    summary: 'Create an export',
    needs: 'administer',
    params: exportDraft,
    reply: item('Export', OwnExport),
    before: exports.checkTarget,
    run: exports.create,
  }),
  appEndpoint('GET /exports/{id}', {
    summary: 'Get an export with all its settings',
    needs: 'administer',
    params: id,
    reply: item('Export', OwnExport),
    run: exports.getOwn,
  }),
  appEndpoint('PUT /exports/{id}', {
    summary: 'Update, pause or resume an export',
    needs: 'administer',
    params: exportChanges,
    reply: item('Export', OwnExport),
    before: exports.checkTarget,
    run: exports.update,
  }),
  appEndpoint('DELETE /exports/{id}', {
    summary: 'Delete an export with its runs and files',
    needs: 'administer',
    params: id,
    reply: done,
    run: exports.remove,
  }),
  appEndpoint('POST /exports/{id}/run', {
    summary: 'Run an export now',
    needs: 'administer',
    params: id,
    reply: item('Run', ExportRun),
    run: runs.runNow,
  }),
  appEndpoint('GET /exports/{id}/runs', {
    summary: 'List the runs of an export',
    needs: 'administer',
    params: listParams(
      { id: params.pathId(analyticsIds.export) },
      { count: upTo(100, 25), order: sortBy({ created: 'date' }, 'created,0') },
    ),
    reply: list(ExportRun),
    run: runs.search,
  }),
]
