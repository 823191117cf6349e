/** RESP, the protocol of Redis: the door to this folder's parsers, encoders and reply values. */
export { encodeReply, encodeRequest } from './encode.ts'
export { ReplyParser } from './parse-reply.ts'
export { ProtocolError, RequestParser } from './parse-request.ts'
export {
  bulk,
  type ErrorReply,
  error,
  isError,
  NULL_ARRAY,
  type NullArrayReply,
  OK,
  QUEUED,
  type Reply,
  replyToValue,
  type StatusReply,
  status,
} from './reply.ts'
