/** How the connection goes on once the bytes are out: a complete message, FIN in the middle of it, RST, or silence. */
export type Ending = 'end' | 'close' | 'reset' | 'stall'
