/** What a healthy simulator says when its script does not say otherwise: sixty words, the same every time. */
export const HEALTHY_TEXT = [
  'The understudy learns every line of the play, stands in the wings each night, and hopes the lead stays well.',
  'When the lead falls silent, the lights hold, the music waits one breath, and a new voice takes the scene.',
  'Nobody in the house leaves their seat, because the story they came to hear goes on to its very end.',
].join(' ')
