
# bash splits words at colons and equals signs, as in vllm:hermes and --latest=codex. This joins them before transcope
# is asked, and leaves out of the candidates the part that bash keeps.
_transcope() {
    local words=() last= at word index=0 kept=
    for at in "${!COMP_WORDS[@]}"; do
        word=${COMP_WORDS[at]}
        if [[ $at -gt 0 && ( $word == [:=] || $last == [:=] ) ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        last=$word
        if [[ $at -eq $COMP_CWORD ]]; then
            index=$(( ${#words[@]} - 1 ))
            [[ $word == "${words[index]}" ]] || kept=${words[index]%"${words[index]##*[:=]}"}
        fi
    done
    local COMP_WORDS=("${words[@]}") COMP_CWORD=$index
    _clap_complete_transcope "$1" "${words[index]}" "$3"
    [[ -z $kept ]] || COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}
if [[ ${BASH_VERSINFO[0]} -gt 4 || ( ${BASH_VERSINFO[0]} -eq 4 && ${BASH_VERSINFO[1]} -ge 4 ) ]]; then
    complete -o nospace -o bashdefault -o nosort -F _transcope transcope
else
    complete -o nospace -o bashdefault -F _transcope transcope
fi
